"""Prints areas, points and expected results, one JSON object a line.

Each point is the origin of an azimuthal equidistant projection, which keeps distances from the
origin. Geodesic edges are densified with PROJ's geodesics; GEOS then tells whether the origin is
inside, and how far the boundary is.
"""

import json
import math
import random
import sys

from pyproj import Geod
from shapely.geometry import LineString, Point, Polygon

GEOD = Geod(ellps="WGS84")


def main(cases, seed):
    random.seed(seed)
    count = 0
    while count < cases:
        center = (random.uniform(-180, 180), math.degrees(math.asin(random.uniform(-1, 1))))
        size = math.exp(random.uniform(math.log(20), math.log(5e6)))
        make = random.choice((circle, polygon, corridor))
        area = make(center, size)
        for _ in range(4):
            lon, lat, _ = GEOD.fwd(*center, random.uniform(0, 360), size * random.uniform(0, 1.4))
            inside, distance = expect(area, (lon, lat))
            if distance < 1 or count == cases:
                continue
            print(json.dumps({
                "condition": coded(area), "point": place((lon, lat)), "isInside": inside,
                "distance": distance}))
            count += 1


def circle(center, size):
    return "circle", center, size


def polygon(center, size):
    def ring(least, most, vertices):
        return [GEOD.fwd(*center, 360 / vertices * index, size * random.uniform(least, most))[:2]
                for index in range(vertices)]
    holes = [ring(0.05, 0.3, random.randint(3, 9))] if random.random() < 0.5 else []
    return "polygon", ring(0.5, 1, random.randint(5, 40)), holes


def corridor(center, size):
    path, bearing = [center], random.uniform(0, 360)
    for _ in range(random.randint(1, 6)):
        bearing += random.uniform(-60, 60)
        path.append(GEOD.fwd(*path[-1], bearing, size / 6)[:2])
    return "corridor", path, min(size * random.uniform(0.02, 0.5), 1e6)


def expect(area, point):
    """Whether the point is inside, and its distance from the boundary."""
    kind, geometry, more = area
    if kind == "circle":
        distance = GEOD.inv(*point, *geometry)[2]
        return distance <= more, abs(distance - more)
    origin = Point(0, 0)
    if kind == "polygon":
        shape = Polygon(
            project(closed(geometry), point), [project(closed(hole), point) for hole in more])
        return shape.contains(origin), shape.boundary.distance(origin)
    distance = LineString(project(geometry, point)).distance(origin)
    return distance <= more / 2, abs(distance - more / 2)


def closed(ring):
    return [*ring, ring[0]]


def project(path, point):
    """The points of the geodesics of a path, densest near the point."""
    points = []
    for start, end in zip(path, path[1:]):
        points += densify(start, end, point)
    return [plane(each, point) for each in [*points, path[-1]]]


def densify(start, end, point):
    """Points of a geodesic from its start, so close that chords deviate by less than 0.2 m."""
    azimuth, _, length = GEOD.inv(*start, *end)
    steps = [0.0]
    while steps[-1] < length:
        lon, lat, _ = GEOD.fwd(*start, azimuth, steps[-1])
        away = GEOD.inv(lon, lat, *point)[2]
        steps.append(steps[-1] + min(max(200.0, away / 300), 3_000.0))
    return [GEOD.fwd(*start, azimuth, step)[:2] for step in steps[:-1]]


def plane(place, point):
    azimuth, _, distance = GEOD.inv(*point, *place)
    return distance * math.sin(math.radians(azimuth)), distance * math.cos(math.radians(azimuth))


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
