"""Says of which city each place is a part."""

from collections import defaultdict
from itertools import product

from tree import SCALE

# Places of this population and more are the city of others.
CITY = 50_000
# The radius of a city in metres, by the square root of its population: 6 km for a million.
RADIUS = 6

METRE = SCALE / 6_378_137
CELL = round(10_000 * METRE)


def parts(places, points):
    """Maps the index of a place to the index of its city, for the places that are in one.

    It is the largest city in the place's division whose radius contains the place, if it has three
    times the population of the place. Of two cities side by side, neither belongs to the other. A
    place of unknown population belongs to any city.
    """
    cells = defaultdict(list)
    for index, spot in enumerate(points):
        cells[cell(spot)].append(index)
    found = {}
    cities = [index for index, place in enumerate(places) if place.population >= CITY]
    for city in sorted(cities, key=lambda index: (-places[index].population, index)):
        population, division = places[city].population, division_of(places[city])
        radius = RADIUS * population ** 0.5 * METRE
        lowest, highest = (cell([axis + step for axis in points[city]])
                           for step in (-radius, radius))
        for spot in product(*(range(a, b + 1) for a, b in zip(lowest, highest))):
            for index in cells.get(spot, ()):
                if division_of(places[index]) == division \
                        and population >= 3 * places[index].population and index != city \
                        and squared_chord(points[index], points[city]) <= radius ** 2:
                    found.setdefault(index, city)
    return found


def cell(spot):
    return tuple(int(axis // CELL) for axis in spot)


def division_of(place):
    return place.country, place.division


def squared_chord(first, second):
    return sum((a - b) ** 2 for a, b in zip(first, second))
