"""Writes the generated columns of Documentation/Architecture.md, and draws its picture. Started by
scripts/architecture."""

import argparse
import html
import json
import pathlib
import re
import subprocess
import sys
import textwrap

PAGE = pathlib.Path("Documentation/Architecture.md")
PICTURE = PAGE.with_suffix(".svg")
LAYERS = ("tools", "simulations", "backends", "network", "core")

# Sizes in pixels. Text cannot be measured here, so a character has the width of a wide font.
WIDTH, MARGIN, GAP = 3000, 12, 18
ROOM, ROOM_GAP, PADDING, LINE, CHARACTER = 182, 5, 8, 15, 6.3
NO_ROOMS, LABEL, LANE, BELOW = 136, 24, 10, 16
# The targets with more than one column of rooms.
COLUMNS = {
    "AsyncLocation": 3, "GPSDBackend": 2, "LocationRecording": 2, "async-location-example": 3}

STYLE = """\
:root { --ink: #1f2328; --faint: #59636e; --line: #818b98; --band: #f6f8fa; --box: #ffffff;
  --room: #ddf4ff; --edge: #d1d9e0; --arrow: #0969da; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --faint: #9198a1; --line: #656c76;
  --band: #151b23; --box: #0d1117; --room: #12263f; --edge: #3d444d; --arrow: #4493f8; } }
text { font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif;
  fill: var(--faint); }
.name { fill: var(--ink); font-weight: 600; }
.target .head { font-size: 14px; }
.layer { text-anchor: end; }
.band { fill: var(--band); stroke: var(--edge); }
.box { fill: var(--box); stroke: var(--line); }
.room { fill: var(--room); }
.arrow { fill: none; stroke: var(--arrow); stroke-width: 1.5; marker-end: url(#head); }
#head path { fill: var(--arrow); }"""


class Target:
    """A row of the tables of targets, and where it is drawn."""

    def __init__(self, row, layer):
        self.name, = names(row[0])
        self.layer = layer
        self.contains = plain(row[-2])
        self.uses = names(row[-1])
        self.rooms = []
        self.columns = COLUMNS.get(self.name, 1)
        self.x = self.y = self.height = 0

    @property
    def width(self):
        inside = self.columns * (ROOM + ROOM_GAP) - ROOM_GAP if self.rooms else NO_ROOMS
        return inside + 2 * PADDING


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def plain(cell):
    return cell.replace("`", "")


def table_rows(lines):
    """The rows of the tables: the number of the line, the name of the first column, the cells."""
    header = None
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells[0]
        elif not set(cells[0]) <= {"-"}:
            yield number, header, cells


def read_page(page):
    """The targets and the test targets of the page, each with its rooms."""
    targets, tests, rooms = [], [], []
    for _, header, cells in table_rows(page.splitlines()):
        if header == "target":
            targets.append(Target((cells[0], cells[2], cells[3]), cells[1]))
        elif header == "test target":
            tests.append(Target((cells[0], cells[1], cells[2]), "tests"))
        elif header == "room":
            rooms.append((*names(cells[0]), plain(cells[1])))
    for path, contains in rooms:
        target = next((t for t in targets if t.name == path.split("/")[0]), None)
        if target is None:
            sys.exit(f"{PAGE}: the room '{path}' belongs to no target of the table.")
        if path != target.name:
            target.rooms.append((path.split("/", 1)[1], contains))
    return targets, tests, [path for path, _ in rooms]


def manifest():
    """The dependencies and the folder of each target in Package.swift."""
    dump = subprocess.run(
        ["swift", "package", "--scratch-path", ".build/manifest", "dump-package"],
        check=True, stdout=subprocess.PIPE).stdout
    declared = {}
    for target in json.loads(dump)["targets"]:
        folder = "Tests" if target["type"] == "test" else "Sources"
        uses = {next(iter(kind.values()))[0] for kind in target["dependencies"]}
        declared[target["name"]] = (uses, pathlib.Path(target.get("path") or f"{folder}/{target['name']}"))
    return declared


def with_columns(page, declared):
    """The text of the page, with the dependencies of the manifest and the imports of the sources."""
    lines = page.splitlines()
    for number, header, cells in table_rows(lines):
        name = next(iter(names(cells[0])), None)
        if header in ("target", "test target") and name in declared:
            cells[-1] = listing(declared[name][0])
        elif header == "room":
            cells[2] = listing(imports(sorted((pathlib.Path("Sources") / name).glob("*.swift"))))
        lines[number] = "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"
    return "\n".join(lines) + "\n"


def listing(modules):
    return ", ".join(f"`{module}`" for module in sorted(modules))


def imports(files):
    """The modules that Swift files import; the C library has several names."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    modules = re.findall(r"^[^/\n]*\bimport (?:struct |func |class |enum )?(\w+)", text, re.M)
    return {"Glibc" if module in ("Darwin", "Musl") else module for module in modules}


def differences(targets, tests, rooms, declared):
    """What the tables say wrongly, one sentence each."""
    wrong = []
    listed = {target.name: target for target in targets + tests}
    for name in sorted(declared.keys() | listed.keys()):
        if name not in listed:
            wrong.append(f"{PAGE}: add a row for the target '{name}' of Package.swift.")
            continue
        if name not in declared:
            wrong.append(f"{PAGE}: Package.swift has no target '{name}': remove its row.")
            continue
        uses, folder = declared[name]
        for dependency in unused(folder, uses):
            wrong.append(f"Package.swift: no file of '{name}' imports '{dependency}': remove it.")
    for layer in sorted({target.layer for target in targets} - set(LAYERS)):
        wrong.append(f"{PAGE}: no layer is named '{layer}'.")
    sources = pathlib.Path("Sources")
    folders = {str(file.parent.relative_to(sources)) for file in swift_files(sources)}
    for folder in sorted(folders - set(rooms)):
        wrong.append(f"{PAGE}: add a row for the room '{folder}'.")
    for room in sorted(set(rooms) - folders):
        wrong.append(f"{PAGE}: '{room}' has no Swift files: remove its row.")
    return wrong


def swift_files(folder):
    """The Swift files of a folder; the code of tutorials belongs to no target."""
    return sorted(file for file in folder.rglob("*.swift") if ".docc/" not in str(file))


def unused(folder, dependencies):
    """The dependencies of a Swift target that no file of it imports."""
    files = swift_files(folder)
    imported = imports(files)
    return sorted(name for name in dependencies if files and name.replace("-", "_") not in imported)


# The picture. The targets of a layer stand side by side; one that another of its layer uses stands
# below that one.

def stacks_of(targets, layer):
    stacks = []
    for target in (target for target in targets if target.layer == layer):
        above = next(
            (stack for stack in stacks if any(target.name in above.uses for above in stack)), None)
        if above is None:
            stacks.append([target])
        else:
            above.append(target)
    return stacks


def place_across(layers):
    """Sets the horizontal positions, from the bottom up: above what a target uses, if the layer has
    the space for it, else side by side."""
    below = []
    for stacks in reversed(layers):
        place_layer(stacks, below) or place_layer(stacks, [])
        beyond = next((stack[0] for stack in stacks
                       if stack[0].x + stack[0].width > WIDTH - MARGIN), None)
        if beyond:
            sys.exit(f"scripts/architecture: no place for '{beyond.name}'; see COLUMNS.")
        below = [stack[0] for stack in stacks]


def place_layer(stacks, below):
    """Places a layer above the targets that it uses. False if it is too wide."""
    edge = MARGIN
    for stack in stacks:
        width = stack[0].width
        used = [t.x for t in below if t.name in stack[0].uses and edge <= t.x]
        x = min(used, default=edge)
        if x + width > WIDTH - MARGIN:
            x = edge
        for target in stack:
            target.x = x
        edge = x + width + GAP
    return edge - GAP <= WIDTH - MARGIN


class Arrow:
    """An arrow from a target to one that it uses: straight down, or with a lane below its layer."""

    def __init__(self, source, target, start, end, lane):
        self.source, self.target, self.start, self.end = source, target, start, end
        self.lane = lane


def arrows_of(layers):
    """The arrows, without those that a path of other arrows implies."""
    places = {t.name: (number, t) for number, stacks in enumerate(layers) for s in stacks for t in s}
    taken, lanes, arrows = [], [0] * len(layers), []

    def reach(name):
        return {name}.union(*(reach(used) for used in places[name][1].uses))

    def free(low, high, near, between):
        """The free place nearest to `near`, and in no box of the layers between."""
        boxes = [s[0] for number in between for s in layers[number]]
        candidates = [
            x for x in range(low, high + 1, 2)
            if all(abs(x - other) >= 8 for other in taken)
            and all(not box.x - 6 < x < box.x + box.width + 6 for box in boxes)]
        return min(candidates, key=lambda x: (abs(x - near), x), default=None)

    for number, source in sorted(places.values(), key=lambda p: (p[0], p[1].x, p[1].y)):
        for name in source.uses:
            if any(name in reach(other) for other in source.uses if other != name):
                continue
            level, target = places[name]
            if level == number:
                arrows.append(Arrow(source, target, middle(source), middle(source), None))
                continue
            between = range(number + 1, level)
            low, high = target.x + 14, target.x + target.width - 14
            own = source.x + 14, source.x + source.width - 14
            start = max(low, own[0]), min(high, own[1])
            end = free(*start, sum(start) // 2, between) if start[0] <= start[1] else None
            lane, begin = None, end
            if end is None:
                end = free(low, high, middle(source), between)
                if end is None:
                    sys.exit(f"scripts/architecture: no way from '{source.name}' to '{name}'.")
                taken.append(end)
                begin = free(*own, end, ())
                lane = lanes[number]
                lanes[number] += 1
            taken.append(begin)
            arrows.append(Arrow(source, target, begin, end, lane))
    return arrows, lanes


def middle(target):
    return target.x + target.width // 2


def lines(text, width):
    return textwrap.wrap(text, int(width / CHARACTER)) or [""]


def rows(target):
    """The rows of rooms, each with its height."""
    split = [
        target.rooms[i:i + target.columns] for i in range(0, len(target.rooms), target.columns)]
    return [
        (row, 8 + LINE + LINE * max(len(lines(text, ROOM - 12)) for _, text in row))
        for row in split]


def place_down(layers, lanes, top):
    """Sets the heights and the vertical positions; returns the bands and the end."""
    bands = []
    y = top
    for stacks, count in zip(layers, lanes):
        bottom = y
        for stack in stacks:
            at = y + LABEL
            for target in stack:
                about = lines(target.contains, target.width - 2 * PADDING)
                target.y = at
                target.height = (
                    26 + LINE * len(about) + sum(height + ROOM_GAP for _, height in rows(target)))
                at += target.height + GAP + 6
            bottom = max(bottom, at - GAP - 6)
        bands.append((y, bottom + 10, bottom + 10 + 6))
        y = bottom + 10 + BELOW + LANE * count + 6
    return bands, bands[-1][1] + 2


def text(x, y, content, style=""):
    style = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{style}>{html.escape(content, quote=False)}</text>'


def box(x, y, width, height, style):
    return f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>'


def draw_target(target):
    out = ['<g class="target">', box(target.x, target.y, target.width, target.height, "box")]
    x, y = target.x + PADDING, target.y + 18
    out.append(text(x, y, target.name, "name head"))
    for line in lines(target.contains, target.width - 2 * PADDING):
        y += LINE
        out.append(text(x, y, line))
    y += 8
    for row, height in rows(target):
        for column, (name, contains) in enumerate(row):
            left = x + column * (ROOM + ROOM_GAP)
            out.append(box(left, y, ROOM, height, "room"))
            out.append(text(left + 6, y + LINE, name, "name"))
            for number, line in enumerate(lines(contains, ROOM - 12), 2):
                out.append(text(left + 6, y + LINE * number, line))
        y += height + ROOM_GAP
    return [*out, "</g>"]


def draw_tests(tests):
    """The band of tests, which has no arrows, and its end."""
    out, x, y = [], MARGIN, LABEL
    for test in tests:
        width = round(len(test.name) * 7.8) + 2 * PADDING
        if x + width > WIDTH - MARGIN:
            x, y = MARGIN, y + 36
        out += [box(x, y, width, 28, "box"), text(x + PADDING, y + 18, test.name, "name")]
        x += width + 10
    end = y + 38
    return [
        box(0.5, 0.5, WIDTH - 1, end, "band"),
        text(MARGIN, 16, "tests: each target has one; they use it, and what their rows list"),
        *out], end


def draw(targets, tests):
    layers = [stacks_of(targets, layer) for layer in LAYERS]
    place_across(layers)
    arrows, lanes = arrows_of(layers)
    drawn_tests, end = draw_tests(tests)
    bands, height = place_down(layers, lanes, end + BELOW)
    uses = "; ".join(f"{arrow.source.name} uses {arrow.target.name}" for arrow in arrows)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'role="img" aria-labelledby="title summary">',
        '<title id="title">The targets of AsyncLocation and their rooms, in layers</title>',
        f'<desc id="summary">From top to bottom: tests, {", ".join(LAYERS)}. {uses}.</desc>',
        f"<style>\n{STYLE}\n</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z"/></marker>',
        *drawn_tests]
    for layer, (top, bottom, _) in zip(LAYERS, bands):
        out += [
            box(0.5, top + 0.5, WIDTH - 1, bottom - top, "band"),
            text(WIDTH - MARGIN, top + 17, layer, "layer")]
    for target in targets:
        out += draw_target(target)
    for arrow in arrows:
        begin = arrow.source.y + arrow.source.height
        path = f"M{arrow.start} {begin}"
        if arrow.lane is not None:
            turn = bands[LAYERS.index(arrow.source.layer)][2] + LANE * arrow.lane
            path += f"V{turn}H{arrow.end}"
        out.append(f'<path class="arrow" d="{path}V{arrow.target.y}"/>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/architecture", description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="writes nothing")
    given = parser.parse_args()
    declared = manifest()
    page = with_columns(PAGE.read_text(encoding="utf-8"), declared)
    targets, tests, rooms = read_page(page)
    wrong = differences(targets, tests, rooms, declared)
    if wrong:
        sys.exit("\n".join(wrong))
    for path, content in ((PAGE, page), (PICTURE, draw(targets, tests))):
        if not given.check:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            sys.exit(f"{path} is not up to date: run scripts/architecture.")


if __name__ == "__main__":
    main()
