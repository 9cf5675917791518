"""Selects the places of the embedded file, which has room for some."""

from collections import defaultdict
from itertools import product

from folding import fold
from tree import SCALE, point

# Every capital is in the file, and every place of this population.
POPULATION = 2_000
# Smaller ones are if no selected place is this near, in metres: on islands, in sparse regions.
APART = 10_000

CELL = round(APART / 6_378_137 * SCALE)


def select(source):
    capitals = {(country.code, fold(country.capital)) for country in source.countries}
    cells = defaultdict(list)

    def is_alone(cell, spot):
        for step in product((-1, 0, 1), repeat=3):
            for other in cells.get(tuple(a + b for a, b in zip(cell, step)), ()):
                if sum((a - b) ** 2 for a, b in zip(spot, other)) < CELL ** 2:
                    return False
        return True

    selected = []
    for place in sorted(source.places, key=lambda place: (-place.population, place.identifier)):
        spot = point(place.latitude, place.longitude)
        cell = tuple(number // CELL for number in spot)
        if place.population >= POPULATION or is_alone(cell, spot) \
                or (place.country, fold(place.name)) in capitals:
            selected.append(place)
            cells[cell].append(spot)
    return selected
