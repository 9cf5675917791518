"""Writes the file that Sources/OfflineGeocoder/Data reads where it lies.

All numbers are little-endian. A header of 136 bytes holds the magic number, the version, the number
of sections, and the offset and length of each. Sections begin at multiples of 16.

| section | an element |
|---|---|
| places | x, y, z (i32), population << 2 | axis (u32); in the order of the tree |
| cities | place (u32) |
| records | name (u32), division (u16), time zone (u16); in the order of the places |
| parts | the place's city plus 1, or 0 (u16); in the order of the places |
| subdivisions | name (u32); in the order of the places, or empty |
| countries | code, name (u32 each) |
| divisions | country (u32), code, name (u32 each) |
| designations | folded name or code without spaces, subject (u32 each), ordered by name |
| zones | name (u32) |
| names | place (u32), ordered by folded name |
| alternates | folded name, place (u32 each), ordered by folded name |
| languages | tag in small letters (u32), ordered by its bytes |
| translations | subject, language, name (u32 each), ordered by subject and language |
| folding | the pages of 256 blocks of scalars (u16); for each page but 0, 256 strings (u16) |
| strings | a byte with the length, then UTF-8; every name above is the offset of one |

The subject of a translation or a designation is a place, 1 << 30 | division, or 2 << 30 | country.

In `folding`, page 0 and string 0 mean that scalars stay as they are; other numbers of strings are
offsets plus 1.
"""

import struct

import tree
from cities import parts
from folding import TABLE, fold

MAGIC = b"GAZETTER"
VERSION = 3
SECTIONS = 15
DIVISION, COUNTRY = 1 << 30, 2 << 30
HEADER = 16 + SECTIONS * 8


class Strings:
    """Strings with their lengths, each once."""

    def __init__(self):
        self.data = bytearray()
        self.offsets = {}
        self.add("")

    def add(self, text):
        if text not in self.offsets:
            bytes = text.encode()[:255]
            self.offsets[text] = len(self.data)
            self.data += len(bytes).to_bytes(1, "little") + bytes
        return self.offsets[text]


def file(source, limit=None):
    """Returns the bytes of the file, with as many alternate names as fit into a limit."""
    strings = Strings()
    folding = folding_section(strings)  # First, since its offsets have 16 bits.
    by_identifier = sorted(source.places, key=lambda place: place.identifier)
    indices, axes = tree.order([tree.point(p.latitude, p.longitude) for p in by_identifier])
    places = [by_identifier[index] for index in indices]
    points = [tree.point(p.latitude, p.longitude) for p in places]

    city_of = parts(places, points)
    cities = sorted(set(city_of.values()))
    city_numbers = {city: number for number, city in enumerate(cities, 1)}

    countries = sorted(source.countries)
    country_indices = {country.code: index for index, country in enumerate(countries)}
    divisions = sorted({(p.country, p.division) for p in places})
    division_indices = {division: index for index, division in enumerate(divisions)}
    zones = sorted({place.zone for place in places})
    zone_indices = {zone: index for index, zone in enumerate(zones)}

    keys = [fold(place.name).encode() for place in places]
    sections = [
        tree.nodes(points, axes, [place.population for place in places]),
        words(cities),
        b"".join(
            struct.pack("<IHH", strings.add(place.name),
                        division_indices[place.country, place.division], zone_indices[place.zone])
            for place in places),
        halves(city_numbers.get(city_of.get(index), 0) for index in range(len(places))),
        words(strings.add(source.subdivisions.get((p.country, p.division, p.subdivision), ""))
              for p in places) if source.subdivisions else b"",
        words(
            strings.add(text) for country in countries for text in (country.code, country.name)),
        b"".join(
            struct.pack("<III", country_indices[country], strings.add(code),
                        strings.add(source.divisions.get((country, code), "")))
            for country, code in divisions),
        words(
            word for text, subject in designations(source, divisions, country_indices)
            for word in (strings.add(text), subject)),
        words(strings.add(zone) for zone in zones),
        words(sorted(range(len(places)), key=lambda index: (keys[index], index))),
    ]
    translated = translations(source, places, divisions, country_indices, strings)
    size = HEADER + sum(map(len, sections + translated)) + len(folding) + len(strings.data) + 16 * SECTIONS
    chosen = alternates(places, keys, strings, None if limit is None else limit - size)
    sections.append(words(
        word for text, index in chosen for word in (strings.add(text), index)))
    sections += [*translated, folding, bytes(strings.data)]
    return assemble(sections)


def alternates(places, keys, strings, room):
    """The folded alternate names, those of the largest places first, that fit into a number of
    bytes; in the order of the file."""
    chosen = []
    added = set()
    for index in sorted(range(len(places)), key=lambda i: (-places[i].population, i)):
        texts = sorted({fold(text) for text in places[index].alternates if is_name(text)})
        texts = [text for text in texts if text and text.encode() != keys[index]]
        if room is not None:
            room -= 8 * len(texts)
            room -= sum(len(text.encode()) + 1 for text in texts
                        if text not in added and text not in strings.offsets)
            if room < 0:
                break
        added.update(texts)
        chosen += [(text, index) for text in texts]
    return sorted(chosen, key=lambda entry: (entry[0].encode(), entry[1]))


def designations(source, divisions, country_indices):
    """What countries and divisions are called after the name of a place, with their subjects."""
    named = set()
    for country in source.countries:
        texts = [country.code, country.name, *(alias.strip(".") for alias in country.aliases)]
        texts += source.designations.get((country.code,), [])
        named |= {(key, COUNTRY | country_indices[country.code]) for key in map(designation, texts)}
    for index, division in enumerate(divisions):
        texts = [division[1], source.divisions.get(division, "")]
        texts += source.designations.get(division, [])
        named |= {(key, DIVISION | index) for key in map(designation, texts)}
    return sorted((entry for entry in named if entry[0]), key=lambda entry: (entry[0].encode(), entry[1]))


def designation(text):
    """A folded name without an article and spaces, so that "D.C." is the code DC."""
    return fold(text).removeprefix("the ").replace(" ", "")


def translations(source, places, divisions, country_indices, strings):
    """The sections of the languages and of the names in them."""
    subjects = [
        (index, source.translations.get(place.identifier)) for index, place in enumerate(places)]
    subjects += [
        (DIVISION | index, source.translations.get(source.identifiers.get(division)))
        for index, division in enumerate(divisions)]
    subjects += [
        (COUNTRY | index, source.translations.get(source.identifiers.get((code,))))
        for code, index in country_indices.items()]
    subjects = [(subject, names) for subject, names in subjects if names]
    languages = sorted({language for _, names in subjects for language in names})
    numbers = {language: number for number, language in enumerate(languages)}
    return [
        words(strings.add(language) for language in languages),
        words(
            word for subject, names in sorted(subjects, key=lambda entry: entry[0])
            for language in sorted(names)
            for word in (subject, numbers[language], strings.add(names[language])))]


def is_name(text):
    """False for links, codes of airports, and transliterations by machine, which begin with a small
    letter."""
    return bool(text) and "/" not in text and not "a" <= text[0] <= "z" \
        and not (len(text) <= 4 and text.isascii() and text.isupper()) \
        and len(fold(text).encode()) <= 255


def folding_section(strings):
    pages, tables = [0] * 256, []
    for page in range(256):
        scalars = [chr(page << 8 | low) for low in range(256) if not 0xD8 <= page <= 0xDF]
        folded = [TABLE.get(scalar, scalar) for scalar in scalars]
        if folded != scalars:
            tables.append([
                0 if text == scalar else strings.add(text) + 1
                for scalar, text in zip(scalars, folded, strict=True)])
            pages[page] = len(tables)
    numbers = pages + [number for table in tables for number in table]
    return struct.pack(f"<{len(numbers)}H", *numbers)


def words(numbers):
    numbers = list(numbers)
    return struct.pack(f"<{len(numbers)}I", *numbers)


def halves(numbers):
    numbers = list(numbers)
    return struct.pack(f"<{len(numbers)}H", *numbers)


def assemble(sections):
    header = MAGIC + struct.pack("<II", VERSION, len(sections))
    chunks, offset = [], HEADER
    for section in sections:
        padding = -offset % 16
        chunks += [bytes(padding), section]
        header += struct.pack("<II", offset + padding, len(section))
        offset += padding + len(section)
    return header + b"".join(chunks)
