"""Folds names: what differs only by case, diacritics or punctuation becomes equal.

The table goes into the file, so that the reader folds queries exactly as names were folded here. It
is made from Unicode 3.2, which Python keeps beside the current version, so that it never changes.
"""

from unicodedata import ucd_3_2_0 as unicode32

# Scalars outside these ranges are not folded. Hangul syllables stay whole.
RANGES = [(0x0000, 0x2000), (0x2000, 0x2070), (0x3000, 0x3100), (0xFB00, 0xFB50), (0xFF00, 0xFFF0)]
APOSTROPHES = set("'`´‘’‛′ʹʻʼʽʾʿˈ")
# Letters that have no decomposition.
LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
    "ŧ": "t", "ŋ": "n", "ə": "e", "ĸ": "k", "ƙ": "k", "ɓ": "b", "ɗ": "d", "ơ": "o", "ư": "u",
}


def is_dropped(character):
    """True for accents, and for the optional vowels of Hebrew and Arabic.

    Other marks, such as the vowels of Indic scripts, distinguish words.
    """
    order = unicode32.combining(character)
    return order == 1 or 10 <= order <= 35 or order >= 200


def fold_scalar(character):
    if character in APOSTROPHES:
        return ""
    text = unicode32.normalize("NFKD", character.casefold()).casefold()
    text = "".join(LETTERS.get(c, c) for c in text if not is_dropped(c))
    return "".join(" " if unicode32.category(c)[0] in "ZPSC" else c for c in text)


TABLE = {
    chr(scalar): fold_scalar(chr(scalar))
    for first, end in RANGES for scalar in range(first, end)
    if unicode32.category(chr(scalar)) != "Cn"
}


def fold(name):
    """Returns the folded name: words with one space between them."""
    text = "".join(TABLE.get(c, c) for c in name)
    return " ".join(word for word in text.split(" ") if word)
