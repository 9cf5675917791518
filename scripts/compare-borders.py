"""Compares countries and offsets from UTC with OpenStreetMap's polygons of time zones.

One process of the tool a point would take an hour. So the answers are read from the files of
Sources/CGazetteer, by the rules of the library, and the tool confirms every answer that differs from the
polygons' and a sample of the others.
"""

import json
import struct
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy
import pytz
from global_land_mask import globe
from scipy.spatial import cKDTree
from timezonefinder import TimezoneFinder

DATA = Path("Sources/CGazetteer")
SIDE = 128
FLATTENING = 1 / 298.257223563
ECCENTRICITY = FLATTENING * (2 - FLATTENING)
# The unit of places in the file: the equatorial radius is 1 << 30.
RADIUS = 1 << 30
KILOMETRES_PER_DEGREE = 111.32
SETTLEMENT_RADIUS = 5
# Kilometres to the nearest border.
BANDS = [0.25, 0.5, 1, 2, 5, 20]
DIRECTIONS = numpy.radians(numpy.arange(0, 360, 15))
# Answers that the tool confirms beside those that differ, in each sample.
CONFIRMED = 500
# Percent: countries, offsets. Samples of other seeds differ by a tenth of a percent anywhere on land.
LIMITS = {"near a settlement": (0.2, 0.2), "anywhere on land": (0.3, 1.1)}

# A difference between two of these countries is left out: the border is disputed, or was until lately,
# and maps draw either side's.
DISPUTED = {frozenset(pair.split("/")) for pair in (
    "IL/PS IL/SY JO/PS PS/EG EH/MA EG/SD SD/SS KE/SS SO/ET RS/XK RU/UA GE/RU AM/AZ KG/UZ "
    "CN/IN CN/BT IN/PK FR/SR GF/SR GY/SR GY/VE").split()}
# The polygon of Asia/Bangkok also has the north of Vietnam.
SHARED_ZONES = {frozenset(("TH", "VN"))}


class Places:
    """The places of a file that scripts/gazetteer-tools/layout.py describes."""

    def __init__(self, path):
        data = path.read_bytes()
        numbers = struct.unpack_from("<30I", data, 16)
        sections = [data[start:start + length] for start, length in zip(numbers[::2], numbers[1::2])]
        places, records, countries, divisions, zones, strings = (
            sections[index] for index in (0, 2, 5, 6, 8, 14))

        def text(offset):
            return strings[offset + 1:offset + 1 + strings[offset]].decode()

        self.points = numpy.frombuffer(places, "<i4").reshape(-1, 4)[:, :3].astype(float)
        records = numpy.frombuffer(records, [("name", "<u4"), ("division", "<u2"), ("zone", "<u2")])
        countries = [text(code) for code in numpy.frombuffer(countries, "<u4")[::2]]
        divisions = [countries[index] for index in numpy.frombuffer(divisions, "<u4")[::3]]
        zones = [text(name) for name in numpy.frombuffer(zones, "<u4")]
        self.countries = numpy.array(divisions)[records["division"]]
        self.zones = numpy.array(zones)[records["zone"]]
        x, y, z = self.points.T
        self.latitudes = numpy.degrees(numpy.arctan2(z, (1 - ECCENTRICITY) * numpy.hypot(x, y)))
        self.longitudes = numpy.degrees(numpy.arctan2(y, x))


class Regions:
    """The regions of a file that scripts/gazetteer-tools/borders.py writes."""

    def __init__(self, path):
        data = path.read_bytes()
        _, count, word_count = struct.unpack_from("<III", data, 8)
        self.codes = [data[20 + 4 * index:22 + 4 * index].decode().rstrip("\0")
                      for index in range(count)]
        self.cells = numpy.frombuffer(data, "<u4", 180 * 360, 20 + 4 * count)
        self.words = numpy.frombuffer(data, "<u2", word_count, 20 + 4 * (count + 180 * 360))
        names = data[20 + 4 * (count + 180 * 360) + 2 * word_count:]
        self.zones = []
        for index in range(count):
            start, = struct.unpack_from("<H", data, 22 + 4 * index)
            self.zones.append(names[start + 1:start + 1 + names[start]].decode())

    def at(self, latitude, longitude):
        """The number of the region at a point, 0 where there is none."""
        y, x = latitude + 90, 0 if longitude == 180 else longitude + 180
        row, column = min(int(y), 179), min(int(x), 359)
        cell = int(self.cells[row * 360 + column])
        if not cell >> 31:
            return cell
        start = cell & ~(1 << 31)
        region_count, run_count = int(self.words[start]), int(self.words[start + 1])
        regions, runs = start + 2, start + 2 + region_count
        pixel = morton(min(int((y - row) * SIDE), SIDE - 1), min(int((x - column) * SIDE), SIDE - 1))
        if region_count <= 4:
            starts = self.words[runs:runs + run_count]
            run = int(numpy.searchsorted(starts >> 2, pixel, "right")) - 1
            return int(self.words[regions + (int(starts[run]) & 3)])
        starts = self.words[runs:runs + 2 * run_count:2]
        run = int(numpy.searchsorted(starts, pixel, "right")) - 1
        return int(self.words[regions + int(self.words[runs + 2 * run + 1])])


def morton(row, column):
    return sum((row >> bit & 1) << 2 * bit + 1 | (column >> bit & 1) << 2 * bit for bit in range(7))


class Library:
    """The country and the time zone of a point, as the library finds them."""

    def __init__(self):
        self.places = Places(DATA / "places.gazetteer")
        self.regions = Regions(DATA / "world.borders")
        self.tree = cKDTree(self.places.points)
        self.region_of_place = numpy.array([
            self.regions.at(latitude, longitude) for latitude, longitude
            in zip(self.places.latitudes.round(5), self.places.longitudes.round(5))])

    def answer(self, latitude, longitude):
        region = self.regions.at(latitude, longitude)
        point = space(latitude, longitude)
        place = int(self.tree.query(point)[1])
        if region == 0:
            return str(self.places.countries[place]), str(self.places.zones[place])
        code = self.regions.codes[region]
        if self.regions.zones[region]:
            return code, self.regions.zones[region]
        if self.places.countries[place] != code or self.region_of_place[place] != region:
            numbers, tree = self.places_in(region)
            if tree is None:
                return code, None
            place = numbers[tree.query(point)[1]]
        return code, str(self.places.zones[place])

    @cache
    def places_in(self, region):
        """The places of a region, of its country if it has none."""
        is_inside = self.places.countries == self.regions.codes[region]
        numbers = numpy.flatnonzero(is_inside & (self.region_of_place == region))
        if not len(numbers):
            numbers = numpy.flatnonzero(is_inside)
        return numbers, cKDTree(self.places.points[numbers]) if len(numbers) else None


def space(latitude, longitude):
    latitude, longitude = numpy.radians(latitude), numpy.radians(longitude)
    normal = RADIUS / numpy.sqrt(1 - ECCENTRICITY * numpy.sin(latitude) ** 2)
    return normal * numpy.array([
        numpy.cos(latitude) * numpy.cos(longitude), numpy.cos(latitude) * numpy.sin(longitude),
        (1 - ECCENTRICITY) * numpy.sin(latitude)])


class Polygons:
    """The country and the time zone of a point by OpenStreetMap's polygons."""

    countries = {zone: code for code, zones in pytz.country_timezones.items() for zone in zones}

    def __init__(self):
        self.finder = TimezoneFinder(in_memory=True)

    def zone(self, latitude, longitude):
        """The zone of a point on land, else None."""
        name = self.finder.timezone_at(lat=latitude, lng=longitude)
        return None if name is None or name.startswith("Etc/") else name

    def country(self, latitude, longitude):
        return self.countries.get(self.zone(latitude, longitude))

    def band(self, latitude, longitude):
        """The distance to the nearest border, as an index of BANDS."""
        own = self.country(latitude, longitude)
        for index, distance in enumerate(BANDS):
            for direction in DIRECTIONS:
                if self.country(*moved(latitude, longitude, distance, direction)) not in (own, None):
                    return index
        return len(BANDS)


def moved(latitude, longitude, distance, direction):
    degrees = distance / KILOMETRES_PER_DEGREE
    longitude += degrees * numpy.sin(direction) / numpy.cos(numpy.radians(latitude))
    latitude = min(max(latitude + degrees * numpy.cos(direction), -90), 90)
    return float(latitude), float((longitude + 180) % 360 - 180)


@cache
def offsets(zone):
    """The offsets of winter and summer."""
    return [datetime(2026, month, 15, 12, tzinfo=ZoneInfo(zone)).utcoffset() for month in (1, 7)]


def sample(polygons, draw, count):
    """Points on land, with what the polygons say; Antarctica and zones without a country are left out."""
    points = []
    while len(points) < count:
        latitude, longitude = draw()
        if latitude < -60 or not globe.is_land(latitude, longitude):
            continue
        zone = polygons.zone(latitude, longitude)
        if zone in polygons.countries:
            points.append((latitude, longitude, polygons.countries[zone], zone))
    return points


def draws(random, places):
    """How to draw the points of each sample."""

    def near():
        place = random.integers(len(places.points))
        distance = SETTLEMENT_RADIUS * numpy.sqrt(random.random())
        return moved(places.latitudes[place], places.longitudes[place], distance,
                     random.uniform(0, 2 * numpy.pi))

    def anywhere():
        return (float(numpy.degrees(numpy.arcsin(random.uniform(-1, 1)))),
                float(random.uniform(-180, 180)))

    return {"near a settlement": (near, 1), "anywhere on land": (anywhere, 2 / 3)}


def disagreements(tool, library, points):
    """The points where the tool has another answer than the files, by these rules."""

    def differs(point):
        latitude, longitude = (repr(number) for number in point[:2])
        output = subprocess.run([tool, "place", "--format", "json", "--", latitude, longitude],
                                capture_output=True, text=True).stdout
        place = json.loads(output.splitlines()[0]) if output else {}
        answer = place.get("isoCountryCode"), place.get("timeZone")
        return None if answer == library.answer(*point[:2]) else (point[:2], answer)

    with ThreadPoolExecutor() as pool:
        return [found for found in pool.map(differs, points) if found]


def compare(tool, library, polygons, random, name, points):
    """Prints a table; whether the shares are within their limits and the tool agrees."""
    total, wrong_countries, wrong_offsets = Counter(), Counter(), Counter()
    left_out, differing, pairs = 0, [], Counter()
    for point in points:
        latitude, longitude, expected, expected_zone = point
        country, zone = library.answer(latitude, longitude)
        pair = frozenset((country, expected))
        if pair in DISPUTED | SHARED_ZONES:
            left_out += 1
            continue
        band = polygons.band(latitude, longitude)
        has_country = country == expected
        has_offset = zone is not None and offsets(zone) == offsets(expected_zone)
        total[band] += 1
        wrong_countries[band] += not has_country
        wrong_offsets[band] += not has_offset
        if not has_country:
            pairs["/".join(sorted(pair))] += 1
        if not (has_country and has_offset):
            differing.append(point)

    print(f"\n{len(points)} points {name}, {left_out} of them left out\n")
    print("| km to the nearest border | points | another country | another offset |\n|---|--:|--:|--:|")
    edges = [0, *BANDS]
    for band in range(len(edges)):
        label = (f"{edges[band]} to {edges[band + 1]}" if band < len(BANDS) else f"above {BANDS[-1]}")
        row(label, total[band], wrong_countries[band], wrong_offsets[band])
    sums = [counter.total() for counter in (total, wrong_countries, wrong_offsets)]
    row("all", *sums)
    print(f"\nMost frequent: {', '.join(f'{pair} {count}' for pair, count in pairs.most_common(8))}")

    others = [points[index] for index in random.choice(len(points), min(CONFIRMED, len(points)), False)]
    unconfirmed = disagreements(tool, library, differing + others)
    print(f"The tool confirms {len(differing) + len(others) - len(unconfirmed)} answers"
          f" of {len(differing) + len(others)}.")
    for found in unconfirmed[:10]:
        print("  another answer of the tool:", *found)
    shares = [100 * wrong / sums[0] for wrong in sums[1:]]
    passes = True
    for subject, share, limit in zip(("countries", "offsets"), shares, LIMITS[name]):
        if share > limit:
            passes = False
            print(f"FAILED: {share:.2f} % of {subject} {name} differ, above {limit} %")
    return passes and not unconfirmed


def row(label, count, countries, zones):
    shares = [f"{100 * wrong / count:.2f} %" if count else "-" for wrong in (countries, zones)]
    print(f"| {label} | {count:,} | {shares[0]} | {shares[1]} |", flush=True)


def main(tool, count, seed):
    library, polygons = Library(), Polygons()
    random = numpy.random.default_rng(seed)
    print("Compared with timezonefinder", version("timezonefinder"), "and its data",
          version("timezonefinder-data"), "from seed", seed)
    passes = True
    for name, (draw, share) in draws(random, library.places).items():
        points = sample(polygons, draw, round(count * share))
        passes = compare(tool, library, polygons, random, name, points) and passes
    sys.exit(0 if passes else 1)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
