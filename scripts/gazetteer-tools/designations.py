"""What countries and first-level divisions are called beside their names and codes in GeoNames."""

# By country, GeoNames' code of a division: the end of its code in ISO 3166-2, and its names in
# languages of the country, or as they are written there. Elsewhere GeoNames' codes are those of
# ISO 3166-2.
DIVISIONS = {
    "AT": {
        "01": "1 Burgenland", "02": "2 Kärnten", "03": "3 Niederösterreich", "04": "4 Oberösterreich",
        "05": "5 Salzburg", "06": "6 Steiermark", "07": "7 Tirol", "08": "8 Vorarlberg", "09": "9 Wien",
    },
    "AU": {
        "01": "ACT", "02": "NSW", "03": "NT", "04": "QLD", "05": "SA", "06": "TAS", "07": "VIC",
        "08": "WA",
    },
    "BE": {"BRU": "BRU Bruxelles|Brussel", "VLG": "VLG Vlaanderen|Flandre", "WAL": "WAL Wallonie|Wallonië"},
    "BR": {
        "01": "AC", "02": "AL", "03": "AP", "04": "AM", "05": "BA", "06": "CE", "07": "DF Distrito Federal",
        "08": "ES", "11": "MS", "13": "MA", "14": "MT", "15": "MG", "16": "PA", "17": "PB", "18": "PR",
        "20": "PI", "21": "RJ", "22": "RN", "23": "RS", "24": "RO", "25": "RR", "26": "SC", "27": "SP",
        "28": "SE", "29": "GO", "30": "PE", "31": "TO",
    },
    "CA": {
        "01": "AB", "02": "BC Colombie-Britannique", "03": "MB", "04": "NB Nouveau-Brunswick",
        "05": "NL Newfoundland|Terre-Neuve-et-Labrador", "07": "NS Nouvelle-Écosse", "08": "ON", "09": "PE",
        "10": "QC Québec", "11": "SK", "12": "YT Yukon Territory", "13": "NT", "14": "NU",
    },
    "CH": {
        "GE": "GE Genève|Genf", "GR": "GR Graubünden", "LU": "LU Luzern", "NE": "NE Neuenburg",
        "SG": "SG St. Gallen|Sankt Gallen", "TI": "TI Tessin", "VD": "VD Waadt", "VS": "VS Wallis",
        "BS": "BS Basel-Stadt", "FR": "FR Freiburg",
    },
    "DE": {
        "01": "BW Baden-Württemberg", "02": "BY Bayern", "03": "HB", "04": "HH", "05": "HE Hessen",
        "06": "NI Niedersachsen", "07": "NW Nordrhein-Westfalen|NRW", "08": "RP Rhineland-Palatinate",
        "09": "SL", "10": "SH", "11": "BB", "12": "MV", "13": "SN Sachsen", "14": "ST Sachsen-Anhalt",
        "15": "TH Thüringen", "16": "BE",
    },
    "ES": {
        "07": "IB Illes Balears|Islas Baleares", "27": "RI", "29": "MD Comunidad de Madrid", "31": "MC",
        "32": "NC Navarra", "34": "AS", "39": "CB", "51": "AN Andalucía", "52": "AR Aragón",
        "53": "CN Canarias|Islas Canarias", "54": "CM Castilla-La Mancha|Castile-La Mancha",
        "55": "CL Castilla y León|Castile and León", "56": "CT Catalunya|Cataluña", "57": "EX",
        "58": "GA Galiza", "59": "PV País Vasco|Euskadi", "60": "VC Comunitat Valenciana",
    },
    "FR": {
        "11": "IDF", "24": "CVL Centre-Val de Loire", "27": "BFC Bourgogne-Franche-Comté",
        "28": "NOR Normandie|Normandy", "32": "HDF Hauts-de-France", "44": "GES Grand Est", "52": "PDL",
        "53": "BRE Bretagne", "75": "NAQ Nouvelle-Aquitaine", "76": "OCC Occitanie",
        "84": "ARA Auvergne-Rhône-Alpes", "93": "PAC PACA", "94": "20R Corse",
    },
    "GB": {"ENG": "ENG", "NIR": "NIR", "SCT": "SCT", "WLS": "WLS Cymru"},
    "IN": {
        "01": "AN", "02": "AP", "03": "AS", "05": "CH", "07": "DL Delhi", "09": "GJ", "10": "HR", "11": "HP",
        "12": "JK Jammu and Kashmir", "13": "KL", "14": "LD Lakshadweep", "16": "MH", "17": "MN",
        "18": "ML", "19": "KA", "20": "NL", "21": "OD Orissa", "22": "PY Puducherry", "23": "PB", "24": "RJ",
        "25": "TN", "26": "TR", "28": "WB", "29": "SK", "30": "AR", "31": "MZ", "33": "GA", "34": "BR",
        "35": "MP", "36": "UP", "37": "CG", "38": "JH", "39": "UK", "40": "TS",
    },
    "IT": {
        "01": "65", "02": "77 Basilicata", "03": "78", "04": "72", "05": "45", "06": "36", "07": "62 Lazio",
        "08": "42", "09": "25 Lombardia", "10": "57 Marche", "11": "67", "12": "21 Piemonte",
        "13": "75 Puglia", "14": "88 Sardegna", "15": "82 Sicilia", "16": "52 Toscana", "17": "32 Südtirol",
        "18": "55", "19": "23 Valle d'Aosta", "20": "34",
    },
    "MX": {
        "01": "AGU", "02": "BCN", "03": "BCS", "04": "CAM", "05": "CHP", "06": "CHH", "07": "COA", "08": "COL",
        "09": "CMX Ciudad de México|CDMX", "10": "DUR", "11": "GUA", "12": "GRO", "13": "HID", "14": "JAL",
        "15": "MEX Estado de México", "16": "MIC", "17": "MOR", "18": "NAY", "19": "NLE", "20": "OAX",
        "21": "PUE", "22": "QUE", "23": "ROO", "24": "SLP", "25": "SIN", "26": "SON", "27": "TAB",
        "28": "TAM", "29": "TLA", "30": "VER", "31": "YUC", "32": "ZAC",
    },
    "NL": {
        "01": "DR", "02": "FR Fryslân", "03": "GE", "04": "GR", "05": "LI", "06": "NB Noord-Brabant",
        "07": "NH Noord-Holland", "09": "UT", "10": "ZE", "11": "ZH Zuid-Holland", "15": "OV", "16": "FL",
    },
    "NZ": {
        "10": "CIT", "E7": "AUK", "E8": "BOP", "E9": "CAN", "F1": "GIS", "F2": "HKB", "F3": "MWT", "F4": "MBH",
        "F5": "NSN", "F6": "NTL", "F7": "OTA", "F8": "STL", "F9": "TKI", "G1": "WKO", "G2": "WGN", "G3": "WTC",
    },
    "SE": {
        "02": "K", "03": "X Gävleborg", "05": "I", "06": "N", "07": "Z Jämtland", "08": "F Jönköping",
        "09": "H", "10": "W", "12": "G", "14": "BD", "15": "T Örebro", "16": "E Östergötland", "18": "D Södermanland",
        "21": "C", "22": "S Värmland", "23": "AC Västerbotten", "24": "Y Västernorrland",
        "25": "U Västmanland", "26": "AB", "27": "M Skåne|Scania", "28": "O Västra Götaland",
    },
    "ZA": {
        "02": "KZN", "03": "FS Free State", "05": "EC", "06": "GP", "07": "MP", "08": "NC", "09": "LP",
        "10": "NW", "11": "WC",
    },
}

# Names in English that neither GeoNames nor CLDR has, as people write them.
COUNTRIES = {
    "AE": "UAE", "BA": "Bosnia", "CD": "DR Congo|Democratic Republic of the Congo", "CG": "Congo",
    "CI": "Ivory Coast", "CV": "Cape Verde", "CZ": "Czech Republic|Czechia", "FK": "Falklands",
    "GB": "Great Britain|Britain|UK", "IE": "Republic of Ireland|Eire", "KP": "North Korea",
    "KR": "South Korea|Korea|Republic of Korea", "LA": "Laos", "MK": "Macedonia", "MM": "Burma",
    "NL": "Holland|Netherlands", "PS": "Palestine", "RU": "Russian Federation", "SY": "Syria",
    "SZ": "Swaziland", "TL": "East Timor", "TR": "Turkey|Türkiye", "US": "USA|America|United States of America",
    "VA": "Vatican", "VN": "Vietnam|Viet Nam",
}


def of_division(country, code):
    """The other codes and names of a division."""
    entry = DIVISIONS.get(country, {}).get(code, "")
    code, _, names = entry.partition(" ")
    return [text for text in [code, *names.split("|")] if text]


def of_country(code):
    """Other names in English."""
    return COUNTRIES[code].split("|") if code in COUNTRIES else []


def in_own_languages(code):
    """CLDR's names of a country in English and in its languages. Needs Babel."""
    from babel import Locale, UnknownLocaleError
    from babel.languages import get_official_languages
    names = []
    for language in ["en", *get_official_languages(code, regional=True, de_facto=True)]:
        try:
            name = Locale.parse(language.replace("-", "_")).territories.get(code)
        except (UnknownLocaleError, ValueError):
            continue
        if name:
            names.append(name)
    return names
