"""The k-d tree of places, as an order of the places.

The middle of a range is the node that splits it; the halves are its subtrees. Ranges of up to LEAF
places are not split. The reader, in Sources/OfflineGeocoder/Nearest, uses the same rule.
"""

import math
import struct
from operator import itemgetter

LEAF = 8
# Units of a semi-major axis of the Earth: 6 mm, a hundredth of the precision of GeoNames.
SCALE = 1 << 30
FLATTENING = 1 / 298.257223563
ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING)


def point(latitude, longitude):
    """A place on the ellipsoid, in units of SCALE from the Earth's centre."""
    sine, cosine = math.sin(math.radians(latitude)), math.cos(math.radians(latitude))
    normal = SCALE / math.sqrt(1 - ECCENTRICITY_SQUARED * sine * sine)
    east = math.radians(longitude)
    return (round(normal * cosine * math.cos(east)), round(normal * cosine * math.sin(east)),
            round(normal * (1 - ECCENTRICITY_SQUARED) * sine))


def order(points):
    """Returns the indices of points in the order of the tree, and the axis of each node."""
    indices, axes = list(range(len(points))), [0] * len(points)
    pending = [(0, len(points))]
    while pending:
        first, end = pending.pop()
        if end - first <= LEAF:
            continue
        part = [points[index] + (index,) for index in indices[first:end]]
        axis = max(range(3), key=lambda a: max(map(itemgetter(a), part))
                   - min(map(itemgetter(a), part)))
        part.sort(key=itemgetter(axis, 3))
        indices[first:end] = [entry[3] for entry in part]
        middle = (first + end) // 2
        axes[middle] = axis
        pending += [(first, middle), (middle + 1, end)]
    return indices, axes


def nodes(points, axes, values):
    """The bytes of a tree: x, y, z, and a value with the axis in its lowest two bits."""
    return b"".join(
        struct.pack("<iiiI", *point, value << 2 | axis)
        for point, axis, value in zip(points, axes, values, strict=True))
