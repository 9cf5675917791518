"""Measures reading and writing recordings beside gpsbabel and PyPI's gpxpy. Started by
scripts/benchmark-recording, which passes a folder for files."""

import argparse
import importlib.util
import math
import os
import sys
import time

import programs
from tables import median, number, show

TOOL = os.path.join(programs.PROGRAMS, "async-location-example")
# The formats that are read, and kml.
FORMATS = ["gpx", "csv", "gpsd", "geojson", "geojson-lines", "geojsonl", "geojsonseq", "locations",
           "kml"]
GPXPY = "import gpxpy, sys; gpxpy.parse(open(sys.argv[1]))"


def main():
    parser = argparse.ArgumentParser(prog="scripts/benchmark-recording", allow_abbrev=False)
    parser.add_argument("folder")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    compare(given)
    formats(given)
    memory(given)
    growth(given)
    print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def write(path, count):
    """A GPX file of a walk, a point a second."""
    latitude, longitude = 47.0, 9.0
    with open(path, "w") as file:
        file.write('<?xml version="1.0"?>\n<gpx version="1.1" creator="benchmark" '
                   'xmlns="http://www.topografix.com/GPX/1/1">\n<trk><trkseg>\n')
        for second in range(count):
            if second % 86_400 == 0:
                day = time.strftime("%Y-%m-%d", time.gmtime(1_767_225_600 + second))
            clock = time.strftime("%H:%M:%S", time.gmtime(second))
            angle = second / 1000
            latitude += 1e-5 * math.cos(angle)
            longitude += 1.3e-5 * math.sin(1.1 * angle)
            file.write(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>'
                       f'{400 + 30 * math.sin(angle / 3):.1f}</ele><time>{day}T{clock}Z</time>'
                       '</trkpt>\n')
        file.write("</trkseg></trk>\n</gpx>\n")
    return path


def run(command):
    """CPU seconds of all threads, and peak memory in MB."""
    actions = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} fails")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def compare(given):
    path = write(os.path.join(given.folder, "long.gpx"), given.points)
    table = os.path.join(given.folder, "long.csv")
    runs = {
        "stats": [TOOL, "stats", path],
        "gpsbabel, reads": ["gpsbabel", "-i", "gpx", "-f", path],
        "convert to CSV": [TOOL, "convert", path, table, "--replace"],
        "gpsbabel, converts to CSV": [
            "gpsbabel", "-t", "-i", "gpx", "-f", path, "-o", "unicsv", "-F", table],
    }
    if importlib.util.find_spec("gpxpy"):
        runs["gpxpy, reads"] = [sys.executable, "-c", GPXPY, path]
    samples = {name: [] for name in runs}
    for round in range(given.rounds):
        for name, command in runs.items():
            if name.startswith("gpxpy") and round > 0:
                continue  # It takes a minute.
            samples[name].append(run(command))
    ours = {"reads": "stats", "converts": "convert to CSV"}
    rows = []
    for name, values in samples.items():
        other = next((ours[word] for word in ours if word in name), None)
        ratio = median(seconds for seconds, _ in values) / median(
            seconds for seconds, _ in samples[other]) if other else None
        rows.append([name, number(median(s for s, _ in values)), number(min(s for s, _ in values)),
                     number(max(s for s, _ in values)), number(max(m for _, m in values), 0),
                     number(ratio, 1)])
    show(f"GPX of {given.points:,} points: CPU seconds, peak MB",
         ["", "median", "least", "most", "peak MB", "times ours"], rows)


def formats(given):
    day = write(os.path.join(given.folder, "day.gpx"), 86_400)
    rows = []
    for name in FORMATS:
        path = os.path.join(given.folder, "day." + name)
        source = day
        if name == "gpx":
            path += ".gpx"
        writes = [run([TOOL, "convert", source, path, "--format", name, "--replace"])
                  for _ in range(given.rounds)]
        reads = [] if name == "kml" else [run([TOOL, "stats", path]) for _ in range(given.rounds)]
        rows.append([name, number(os.path.getsize(path) / 1e6, 1),
                     number(median(s for s, _ in reads) if reads else None),
                     number(max(m for _, m in reads) if reads else None, 0),
                     number(median(s for s, _ in writes)), number(max(m for _, m in writes), 0)])
    show("A day at 1 Hz, 86,400 points: CPU seconds to read (stats), and to convert from GPX",
         ["", "MB", "read", "peak MB", "convert", "peak MB"], rows)


def memory(given):
    rows = []
    for count in (given.points // 10, given.points, 3 * given.points):
        path = write(os.path.join(given.folder, "long.gpx"), count)
        output = os.path.join(given.folder, "long.csv")
        for name, command in {
                "stats": [TOOL, "stats", path],
                "convert to CSV": [TOOL, "convert", path, output, "--replace"],
                "convert to CSV, simplified by 5 m": [
                    TOOL, "convert", path, output, "--replace", "--simplify", "5"]}.items():
            seconds, peak = run(command)
            rows.append([f"{count:,}", name, number(seconds), number(peak, 0)])
    show("Memory: GPX of several lengths", ["points", "", "CPU s", "peak MB"], rows)


def position(index):
    return f"[{9 + index * 1e-6:.7f},{47 + index * 1e-6:.7f},{400 + index % 50}]"


def stamp(index):
    return time.strftime('"%Y-%m-%dT%H:%M:%SZ"', time.gmtime(1_767_225_600 + index))


def growth(given):
    """GeoJSON that is one line, or has its members in an order that makes most of it wait."""
    line = '"geometry":{"type":"LineString","coordinates":['
    kinds = {
        "a line": ('{"type":"Feature",' + line, position, "]}}"),
        "a line, its times behind it": (
            '{"type":"Feature",' + line, position, ']},"properties":{"times":['),
        "points, the type behind them": (
            '{"features":[', lambda index: '{"type":"Feature","geometry":{"type":"Point",'
            f'"coordinates":{position(index)}}},"properties":{{"speed":{index % 30}}}}}',
            '],"type":"FeatureCollection"}'),
    }
    rows = []
    path = os.path.join(given.folder, "long.geojson")
    for name, (head, element, tail) in kinds.items():
        for count in (2 * given.points, 4 * given.points):
            with open(path, "w") as file:
                file.write(head)
                file.writelines(
                    ("," if index else "") + element(index) for index in range(count))
                file.write(tail)
                if tail.endswith('"times":['):
                    file.writelines(
                        ("," if index else "") + stamp(index) for index in range(count))
                    file.write("]}}")
            seconds, peak = run([TOOL, "stats", path])
            rows.append([name, f"{count:,}", number(os.path.getsize(path) / 1e6, 0),
                         number(seconds), number(peak, 0)])
    show("Growth: GeoJSON of several lengths", ["", "points", "MB", "CPU s", "peak MB"], rows)


if __name__ == "__main__":
    programs.until_stopped(main)
