"""Makes the file of regions that Sources/OfflineGeocoder/Borders.swift reads; see scripts/gazetteer.

A region is a country or a part of one that has a time zone of its own. The time zone is that of the
nearest place in the region, unless the file names one for the region. The world is divided into cells
of one degree, and each cell into 128 x 128 pixels. The pixels of a cell are in the order of their Morton
code: the bits of the row (from the south) and of the column (from the west) alternate, a row's first.

All numbers are little-endian. The file has five sections, one after the other:

| section | an element |
|---|---|
| header | the magic number (8 bytes), the version, the number of regions, that of the words (u32 each) |
| regions | the country's code in ISO 3166-1 (2 bytes), time zone (u16); the first is no region |
| cells | a region, or 1 << 31 and the index of the cell's words (u32); from 180 W, 90 S, by rows |
| words | u16 |
| time zones | a byte with the length, then ASCII |

A region's time zone is the offset of a name in the last section; 0 is that of an empty name, and means
that the nearest place decides.

The words of a cell are the number of its regions, that of its runs, the regions, and the runs in the
order of their codes: with at most four regions, a run is a word, its first code << 2 | the index of its
region; with more, a run is two words, its first code and the index.

The sea has the region of the nearest land in its cell, and none in a cell without land.
"""

import functools
import struct
import sys
from collections import Counter, defaultdict, namedtuple
from datetime import datetime
from zoneinfo import ZoneInfo

import netCDF4
import numpy
import scipy.ndimage
import scipy.spatial

MAGIC = b"BORDERS1"
VERSION = 2
SIDE = 128
NOTHING = 0
# Countries with divisions in DCW whose time zones follow these divisions.
DIVIDED = ("AU", "BR", "CA", "MX", "RU", "US")
# Of the places of a division, the share that must have the offsets of a time zone.
AGREEMENT = 0.995
# A rectangle of a country or division with a time zone of its own, in degrees.
Area = namedtuple("Area", "division zone west south east north")
AREAS = (
    # Nunavut's Kitikmeot Region east of 102 W: to Committee Bay, and north to Bellot Strait.
    Area("CANU", "America/Cambridge_Bay", -102, 67, -88, 72),
    # Southampton Island.
    Area("CANU", "America/Atikokan", -87, 63, -80, 66),
    # The Northern Rockies Regional Municipality: from the 58th parallel to the 60th, its 85,015 km2 reach
    # to 126.7 W. Its border, the rivers Gataga and Kechika, is between 125 and 127 W.
    Area("CABC", "America/Fort_Nelson", -126.7, 58, -119.9, 60.1),
    # The Lower North Shore: Quebec east of the river Natashquan.
    Area("CAQC", "America/Blanc-Sablon", -61.8, 50, -57, 52.1),
    # Yancowinna County.
    Area("AUNSW", "Australia/Broken_Hill", 140.9, -32.5, 142, -31),
    # Along Eyre Highway from Caiguna to the border.
    Area("AUWA", "Australia/Eucla", 125.5, -33, 129.1, -31.3),
    # Hayes Peninsula, from Savissivik to Etah.
    Area("GL", "America/Thule", -74, 75.9, -65, 78.4),
    # Germania Land and Store Koldewey around the weather station, in which nobody lives.
    Area("GL", "America/Danmarkshavn", -23, 75.9, -17.5, 77.5),
)
# The rest of Nunavut is divided by meridians.
MERIDIANS = {"CANU": (-102, -85)}
# Kilometres. How far around its places a country reaches that DCW does not have.
REACH = 10
# Kilometres. How far around a place that a country's border leaves out the border is moved.
CORRECTION = 1.5
RADIUS = 6371


class Regions:
    """The numbers of regions by their names: codes of countries, or these and what follows."""

    def __init__(self):
        self.names = [""]
        self.numbers = {"": NOTHING}
        # The time zones of regions that do not have that of the nearest place, by their names.
        self.zones = {}

    def number(self, name):
        if name not in self.numbers:
            self.numbers[name] = len(self.names)
            self.names.append(name)
        return self.numbers[name]


def read_rings(path):
    """Yields the rings of DCW, holes too: a code and points in degrees."""
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        names = [name[:-4] for name in data.variables if name.endswith("_lon")]
        wanted = [name for name in names if len(name) == 2 or name[:2] in DIVIDED]
        for name in sorted(wanted, key=lambda name: (len(name), name)):
            axes = []
            for axis in ("lon", "lat"):
                variable = data.variables[f"{name}_{axis}"]
                variable.set_auto_scale(False)
                axes.append((variable[:].astype(numpy.int64), variable.getncattr("min"),
                             variable.getncattr("scale")))
            (x, west, x_scale), (y, south, y_scale) = axes
            # A point of the largest number begins a ring.
            begins = numpy.append(numpy.where(x == 65535)[0], len(x))
            for begin, end in zip(begins[:-1], begins[1:]):
                if end - begin > 4:
                    points = numpy.column_stack([
                        west + x[begin + 1:end] / x_scale, south + y[begin + 1:end] / y_scale])
                    yield name, around_the_pole(points)


def around_the_pole(points):
    """Lets a ring that goes around the south pole, Antarctica's, go to it and back."""
    jumps = numpy.flatnonzero(abs(numpy.diff(points[:, 0])) > 180)
    if len(jumps) != 1:
        return points
    before, after = jumps[0], jumps[0] + 1
    sides = numpy.copysign(180, points[[before, after], 0])
    corners = [[sides[0], points[before, 1]], [sides[0], -90], [sides[1], -90],
               [sides[1], points[after, 1]]]
    return numpy.insert(points, after, corners, axis=0)


class Raster:
    """The numbers of the regions at the centers of pixels, in rows from the south."""

    def __init__(self):
        self.rows = numpy.zeros((180 * SIDE, 360 * SIDE), numpy.uint16)

    def fill(self, rings, number, within=None):
        """Numbers the pixels in rings, by even and odd, that have none, or one of some numbers."""
        edges = []
        for points in rings:
            x, y = (points[:, 0] + 180) * SIDE, (points[:, 1] + 90) * SIDE
            x, y = numpy.append(x, x[0]), numpy.append(y, y[0])
            edges.append(numpy.column_stack([x[:-1], y[:-1], x[1:], y[1:]]))
        edges = numpy.concatenate(edges)
        down = edges[:, 1] > edges[:, 3]
        edges[down] = edges[down][:, [2, 3, 0, 1]]
        first = numpy.ceil(edges[:, 1] - 0.5).astype(int)
        count = numpy.ceil(edges[:, 3] - 0.5).astype(int) - first
        edges, first, count = edges[count > 0], first[count > 0], count[count > 0]
        edge = numpy.repeat(numpy.arange(len(count)), count)
        row = numpy.arange(count.sum()) - numpy.repeat(numpy.cumsum(count) - count, count)
        row += first[edge]
        x1, y1, x2, y2 = edges[edge].T
        x = numpy.ceil(x1 + (row + 0.5 - y1) * (x2 - x1) / (y2 - y1) - 0.5).astype(int)
        order = numpy.lexsort((x, row))
        row, x = row[order], x[order]
        # Two crossings of a row at a time.
        for line, begin, end in zip(row[0::2], x[0::2], x[1::2]):
            if not 0 <= line < len(self.rows):
                continue
            # Longitudes of DCW are from -180 to 360.
            for shift in (-360 * SIDE, 0, 360 * SIDE):
                low, high = max(begin + shift, 0), min(end + shift, 360 * SIDE)
                if low < high:
                    part = self.rows[line, low:high]
                    if within is None:
                        part[part == NOTHING] = number
                    else:
                        part[numpy.isin(part, within)] = number

    def at(self, longitude, latitude):
        """The number at a point, and its row and column."""
        row = min(int((latitude + 90) * SIDE), len(self.rows) - 1)
        column = int((longitude + 180) % 360 * SIDE)
        return self.rows[row, column], row, column

    def cell(self, row, column):
        return self.rows[row * SIDE:(row + 1) * SIDE, column * SIDE:(column + 1) * SIDE]


def read(path):
    """The regions of DCW, each division one."""
    regions, raster, by_name = Regions(), Raster(), defaultdict(list)
    for name, points in read_rings(path):
        by_name[name].append(points)
    for name, rings in by_name.items():
        number, country = regions.number(name), name[:2]
        raster.fill(rings, number, None if name == country else [regions.number(country)])
    return regions, raster


def points(places):
    """The points of places in space, in kilometres."""
    longitude, latitude = numpy.radians([
        [place.longitude for place in places], [place.latitude for place in places]])
    return space(longitude, latitude)


def space(longitude, latitude):
    return RADIUS * numpy.column_stack([
        numpy.cos(latitude) * numpy.cos(longitude), numpy.cos(latitude) * numpy.sin(longitude),
        numpy.sin(latitude)])


def occupy(regions, raster, places):
    """Makes land of the pixels of places that are in none: DCW lacks small islands."""
    for place in places:
        number, row, column = raster.at(place.longitude, place.latitude)
        if number == NOTHING:
            raster.rows[row, column] = regions.number(place.country)


def complete(regions, raster):
    """Gives each pixel of a country with divisions that is in none the nearest one in its cell."""
    for country in DIVIDED:
        number = regions.number(country)
        parts = [regions.numbers[name] for name in regions.names
                 if len(name) > 2 and name[:2] == country]
        for row in range(180):
            for column in range(360):
                cell = raster.cell(row, column)
                missing = cell == number
                if missing.any() and (known := numpy.isin(cell, parts)).any():
                    nearest = scipy.ndimage.distance_transform_edt(
                        ~known, return_distances=False, return_indices=True)
                    cell[missing] = cell[tuple(index[missing] for index in nearest)]


def divide(regions, raster):
    """Divides regions whose time zones have other borders than DCW's."""
    for area in AREAS:
        name = f"{area.division}/{area.zone}"
        regions.zones[name] = area.zone
        west, east = (round((longitude + 180) * SIDE) for longitude in (area.west, area.east))
        south, north = (round((latitude + 90) * SIDE) for latitude in (area.south, area.north))
        part = raster.rows[south:north, west:east]
        part[part == regions.numbers[area.division]] = regions.number(name)
    for name, meridians in MERIDIANS.items():
        bounds = [0, *((meridian + 180) * SIDE for meridian in meridians), 360 * SIDE]
        number = regions.number(name)
        for index, (west, east) in enumerate(zip(bounds[:-1], bounds[1:])):
            part = raster.rows[:, west:east]
            part[part == number] = regions.number(f"{name}/{index}")


def correct(regions, raster, places, known):
    """Moves borders so that each place is in its country.

    `known` has the countries of DCW.
    """
    tree = scipy.spatial.cKDTree(points(places))

    def is_wrong(number, country):
        # The sea stays without a region, except around places of a country that DCW does not have.
        if number == NOTHING:
            return country not in known
        return regions.names[number][:2] != country

    wrong = [index for index, place in enumerate(places) if place.country not in known
             or is_wrong(raster.at(place.longitude, place.latitude)[0], place.country)]
    changed, owners = [], {}
    for place in sorted(places, key=lambda place: place.population):
        owners[raster.at(place.longitude, place.latitude)[1:]] = place.country
    for index in wrong:
        place = places[index]
        reach = REACH if place.country not in known else CORRECTION
        degrees = reach / 111
        wide = degrees / max(numpy.cos(numpy.radians(place.latitude)), 0.05)
        _, row, column = raster.at(place.longitude, place.latitude)
        rows = numpy.arange(row - int(degrees * SIDE) - 1, row + int(degrees * SIDE) + 2)
        columns = numpy.arange(column - int(wide * SIDE) - 1, column + int(wide * SIDE) + 2)
        rows = rows[(rows >= 0) & (rows < len(raster.rows))]
        grid_rows, grid_columns = (grid.ravel() for grid in numpy.meshgrid(rows, columns))
        distance, nearest = tree.query(space(
            numpy.radians((grid_columns + 0.5) / SIDE - 180),
            numpy.radians((grid_rows + 0.5) / SIDE - 90)))
        for line, other, far, near in zip(grid_rows, grid_columns, distance, nearest):
            if far < reach and places[near].country == place.country:
                changed.append((line, other % (360 * SIDE), place.country))
    # Of several places in a pixel, the largest counts.
    for line, column, country in changed + [(*pixel, owners[pixel]) for pixel in owners]:
        if is_wrong(raster.rows[line, column], country):
            raster.rows[line, column] = regions.number(country)
    return len(wrong)


@functools.cache
def offsets(zone):
    """The offsets from UTC of a zone, in winter and in summer."""
    return tuple(
        datetime(2026, month, 15, 12, tzinfo=ZoneInfo(zone)).utcoffset() for month in (1, 7))


def merge(regions, raster, places):
    """Merges the divisions of a country that have the same offsets. A division that has several stays:
    the nearest place in it decides. One that the file names a time zone for stays, too."""
    zones = defaultdict(Counter)
    for place in places:
        number = raster.at(place.longitude, place.latitude)[0]
        if regions.names[number][:2] == place.country:
            zones[regions.names[number]][offsets(place.zone)] += 1
    merged = Regions()
    merged.zones = regions.zones
    numbers = numpy.zeros(len(regions.names), numpy.uint16)
    for number, name in enumerate(regions.names):
        target = name
        if len(name) > 2 and name not in regions.zones and zones[name]:
            most, count = zones[name].most_common(1)[0]
            if count >= AGREEMENT * zones[name].total():
                target = name[:2] + str(most)
        elif len(name) > 2 and "/" not in name:
            target = name[:2]
        numbers[number] = merged.number(target)
    raster.rows = numbers[raster.rows]
    return merged


def morton():
    """The indices of pixels, in rows, by their Morton codes."""
    index = numpy.arange(SIDE)
    spread = sum(((index >> bit) & 1) << 2 * bit for bit in range(SIDE.bit_length() - 1))
    return numpy.argsort((spread[:, None] << 1 | spread[None, :]).ravel())


def encode(regions, raster):
    order = morton()
    cells, words, used = [], [], set()
    for row in range(180):
        for column in range(360):
            cell = raster.cell(row, column)
            if not cell.any():
                cells.append(NOTHING)
                continue
            if (cell == NOTHING).any():
                nearest = scipy.ndimage.distance_transform_edt(
                    cell == NOTHING, return_distances=False, return_indices=True)
                cell = cell[tuple(nearest)]
            line = cell.ravel()[order]
            starts = numpy.flatnonzero(numpy.append(True, line[1:] != line[:-1]))
            used.update(line[starts].tolist())
            if len(starts) == 1:
                cells.append(int(line[0]))
                continue
            cells.append(1 << 31 | len(words))
            names = sorted(set(line[starts].tolist()))
            words += [len(names), len(starts), *names]
            for start in starts.tolist():
                index = names.index(line[start])
                words += [start << 2 | index] if len(names) <= 4 else [start, index]
    # Regions that no pixel has are left out.
    kept = [number for number in range(len(regions.names)) if number in used or number == NOTHING]
    renamed = {number: index for index, number in enumerate(kept)}
    for index, cell in enumerate(cells):
        if not cell >> 31:
            cells[index] = renamed[cell]
            continue
        position = cell & ~(1 << 31)
        for offset in range(words[position]):
            words[position + 2 + offset] = renamed[words[position + 2 + offset]]
    codes, zones = [], bytearray(1)
    for name in (regions.names[number] for number in kept):
        zone = regions.zones.get(name, "").encode()
        codes.append(struct.pack("<2sH", name[:2].encode(), len(zones) if zone else 0))
        if zone:
            zones += len(zone).to_bytes(1, "little") + zone
    return b"".join([
        MAGIC, struct.pack("<III", VERSION, len(codes), len(words)), *codes,
        struct.pack(f"<{len(cells)}I", *cells), struct.pack(f"<{len(words)}H", *words), zones])


def file(path, places):
    """The bytes of the file, from DCW's and the places of GeoNames."""
    regions, raster = read(path)
    known = {name[:2] for name in regions.names}
    occupy(regions, raster, places)
    complete(regions, raster)
    divide(regions, raster)
    count = correct(regions, raster, places, known)
    print(f"{count} places were on the other side of a border.", file=sys.stderr)
    return encode(merge(regions, raster, places), raster)
