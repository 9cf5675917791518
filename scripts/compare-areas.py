"""Prints areas, points and expected results, one JSON object a line.

Everything is computed with PROJ's geodesics. Edges are divided into short pieces: a point is inside of
a ring around which the azimuths of the pieces turn, and the distance to an edge is the least one of a
search along it.
"""

import json
import math
import random
import sys

from pyproj import Geod

GEOD = Geod(ellps="WGS84")
# The widest that are accepted, in metres.
WIDEST = 8.79e6
WIDEST_CORRIDOR = 1e6
# Metres. A piece turns by less than half a turn around any point beside it.
PIECE = 400e3


def main(cases, seed):
    random.seed(seed)
    count = 0
    while count < cases:
        center = (random.uniform(-180, 180), math.degrees(math.asin(random.uniform(-1, 1))))
        size = math.exp(random.uniform(math.log(20), math.log(WIDEST)))
        if random.random() < 0.4:
            size = random.uniform(2e6, WIDEST)
        area = random.choice((circle, polygon, corridor))(center, size)
        for point in points(area, center, size):
            inside, distance = expect(area, point)
            if distance < 1 or count == cases:
                continue
            print(json.dumps({
                "condition": coded(area), "point": place(point), "isInside": inside,
                "distance": distance}))
            count += 1
            break


def points(area, center, size):
    """Two points anywhere, and two beside an edge, in any order."""
    choices = [
        GEOD.fwd(*center, random.uniform(0, 360), size * random.uniform(0, 1.4))[:2]
        for _ in range(2)]
    kind, geometry, more = area
    if kind != "circle":
        chain = closed(geometry) if kind == "polygon" else geometry
        edge = random.randrange(len(chain) - 1)
        azimuth, _, length = GEOD.inv(*chain[edge], *chain[edge + 1])
        lon, lat, back = GEOD.fwd(*chain[edge], azimuth, length * random.random())
        reach = more / 2 if kind == "corridor" else 0
        for side in (90, -90):
            away = math.exp(random.uniform(0.1, math.log(1e5)))
            choices.append(GEOD.fwd(lon, lat, back + side, abs(reach + away * side / 90))[:2])
    random.shuffle(choices)
    return choices


def circle(center, size):
    return "circle", center, size


def polygon(center, size):
    def ring(least, most, vertices):
        return [GEOD.fwd(*center, 360 / vertices * index, size * random.uniform(least, most))[:2]
                for index in range(vertices)]
    holes = [ring(0.05, 0.3, random.randint(3, 9))] if random.random() < 0.5 else []
    return "polygon", ring(0.5, 1, random.randint(3, 20)), holes


def corridor(center, size):
    if random.random() < 0.5:
        bearing = random.uniform(0, 360)
        path = [GEOD.fwd(*center, bearing + turn, size)[:2] for turn in (0, 180)]
    else:
        path, bearing = [center], random.uniform(0, 360)
        for _ in range(random.randint(1, 6)):
            bearing += random.uniform(-60, 60)
            path.append(GEOD.fwd(*path[-1], bearing, size / 6)[:2])
    return "corridor", path, min(size * random.uniform(0.02, 0.5), WIDEST_CORRIDOR)


def expect(area, point):
    """Whether the point is inside, and its distance from the boundary."""
    kind, geometry, more = area
    if kind == "circle":
        distance = GEOD.inv(*point, *geometry)[2]
        return distance <= more, abs(distance - more)
    if kind == "polygon":
        rings = [closed(geometry), *(closed(hole) for hole in more)]
        inside = [turns(ring, point) for ring in rings]
        # From outside of the ring, the holes limit nothing.
        limits = rings if inside[0] else rings[:1]
        return inside[0] and not any(inside[1:]), min(nearest(ring, point) for ring in limits)
    distance = nearest(geometry, point)
    return distance <= more / 2, abs(distance - more / 2)


def closed(ring):
    return [*ring, ring[0]]


def turns(ring, point):
    """Whether a ring turns around a point."""
    lons, lats = [], []
    for start, end in zip(ring, ring[1:]):
        azimuth, _, length = GEOD.inv(*start, *end)
        count = max(1, math.ceil(length / PIECE))
        steps = [length * step / count for step in range(count)]
        lon, lat, _ = GEOD.fwd(
            [start[0]] * count, [start[1]] * count, [azimuth] * count, steps)
        lons += list(lon)
        lats += list(lat)
    count = len(lons)
    azimuths = GEOD.inv([point[0]] * count, [point[1]] * count, lons, lats)[0]
    total = sum((azimuths[(index + 1) % count] - azimuths[index] + 180) % 360 - 180
                for index in range(count))
    return round(total / 360) % 2 != 0


def nearest(chain, point):
    """The distance to the nearest point of a chain of geodesics."""
    best = math.inf
    for start, end in zip(chain, chain[1:]):
        azimuth, _, length = GEOD.inv(*start, *end)
        low, high, count = 0.0, length, max(16, math.ceil(length / PIECE))
        if far(start, point) - length > best:
            continue
        while True:
            steps = [low + (high - low) * step / count for step in range(count + 1)]
            distances = along(start, azimuth, steps, point)
            index = min(range(count + 1), key=distances.__getitem__)
            if high - low < 1e-3 or distances[index] > best + (high - low):
                best = min(best, distances[index])
                break
            low, high = steps[max(index - 1, 0)], steps[min(index + 1, count)]
            count = 16
    return best


def far(start, point):
    return GEOD.inv(*start, *point)[2]


def along(start, azimuth, steps, point):
    count = len(steps)
    lon, lat, _ = GEOD.fwd([start[0]] * count, [start[1]] * count, [azimuth] * count, steps)
    return GEOD.inv(lon, lat, [point[0]] * count, [point[1]] * count)[2]


def place(point):
    return {"latitude": point[1], "longitude": point[0]}


def coded(area):
    kind, geometry, more = area
    if kind == "circle":
        return {"circle": {"center": place(geometry), "radius": more}}
    if kind == "polygon":
        return {"polygon": {
            "exterior": [place(each) for each in geometry],
            "holes": [[place(each) for each in hole] for hole in more]}}
    return {"corridor": {"path": [place(each) for each in geometry], "width": more}}


main(int(sys.argv[1]), int(sys.argv[2]))
