"""Compares how the tool and other programs read and write recordings; scripts/validate-recordings runs it.

Each comparison has two readings of one track: the one that is expected, and the one that is judged. Of
what receivers sent, each program makes points by rules of its own; there a point is compared with the
nearest one of the same time.
"""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

try:
    import gpxpy
except ImportError:
    gpxpy = None
try:
    import pyproj
except ImportError:
    pyproj = None

os.environ["TZ"] = "UTC"


class Point(NamedTuple):
    latitude: float
    longitude: float
    altitude: float | None = None
    time: float | None = None
    segment: str = ""


class Tolerance(NamedTuple):
    """Metres, metres and seconds."""

    distance: float
    altitude: float = 0.0011
    time: float = 0.0011


# The precision of the printed digits of the programs: nine of a degree, three of a metre and of a second.
PRINTED = Tolerance(0.0002)
# Millionths of a degree.
SIX_DIGITS = Tolerance(0.08, 0.0011)
# Recordings of receivers: gpsbabel gives some epochs the position of the one before, and takes the altitude of the
# pressure in a sentence of Garmin.
RECEIVED = {"gpsd": PRINTED, "gpsbabel": Tolerance(0.2, 2)}
# gpsd takes a date for one in its own 1,024 weeks.
WEEKS = 1024 * 7 * 86400
# Recordings with fewer points are only read.
FEWEST_POINTS = 5
# Metres of a length, which `stats` prints with three digits.
LENGTH_TOLERANCE = 0.0006

# The formats that the tool writes, and the programs that read them: the name, the option, the ending, the readers.
WRITTEN = [
    ("GPX 1.1", "gpx", "gpx", ["gpsbabel gpx", "gdal track_points", "gpxpy"]),
    ("KML, gx:Track", "kml", "kml", ["gpsbabel kml", "gdal"]),
    ("GeoJSON, points", "geojson", "geojson", ["gpsbabel geojson", "gdal"]),
    ("GeoJSON, lines", "geojson-lines", "geojson", ["gpsbabel geojson", "gdal"]),
    ("GeoJSON sequence", "geojsonseq", "geojsons", ["gdal"]),
    ("GeoJSON, one a line", "geojsonl", "geojsonl", ["gdal"]),
    ("CSV", "csv", "csv", ["gpsbabel unicsv", "gdal"]),
    ("gpsd JSON", "gpsd", "jsonl", ["json"]),
    ("location JSON", "locations", "jsonl", ["json"]),
]

# The formats that gpsbabel writes, and the programs that read them beside the tool.
FROM_GPSBABEL = [
    ("GPX 1.0", "gpx,gpxver=1.0", "gpx", ["gpsbabel gpx", "gdal track_points", "gpxpy"]),
    ("GPX 1.1", "gpx,gpxver=1.1", "gpx", ["gpsbabel gpx", "gdal track_points", "gpxpy"]),
    ("KML, lines and points", "kml", "kml", ["gpsbabel kml"]),
    ("KML, gx:Track", "kml,track=1,points=0,lines=0", "kml", ["gpsbabel kml", "gdal"]),
    ("GeoJSON", "geojson", "geojson", ["gpsbabel geojson", "gdal"]),
    ("TCX, activity", "gtrnctr,course=0", "tcx", ["gpsbabel gtrnctr"]),
    ("TCX, course", "gtrnctr,course=1", "tcx", ["gpsbabel gtrnctr"]),
    ("FIT", "garmin_fit", "fit", ["gpsbabel garmin_fit"]),
    ("IGC", "igc", "igc", ["gpsbabel igc"]),
    ("CSV, unicsv", "unicsv,utc=0", "csv", ["gpsbabel unicsv,utc=0"]),
]

# The formats that gpsbabel writes, compared with what it was given, since it does not read all of these tables again,
# and gives an epoch of NMEA 0183 the position of the one before it.
STYLES = [
    ("nmea", Tolerance(1.4)), ("iblue747", Tolerance(0.08, 0.51, 1)),
    ("iblue757", Tolerance(0.08, 0.51, 1)), ("openoffice", SIX_DIGITS._replace(time=1.05)),
    ("motoactv", SIX_DIGITS._replace(altitude=0.051)), ("garmin301", SIX_DIGITS._replace(time=1)),
    ("cup", Tolerance(1.4, 0.051)), ("geonet", SIX_DIGITS), ("nima", SIX_DIGITS),
    ("s_and_t", SIX_DIGITS), ("saplus", SIX_DIGITS),
]
STYLES_WITH_TRACKS = {"nmea", "iblue747", "iblue757"}
STYLES_WITHOUT_TIMES = {"cup", "geonet", "nima", "s_and_t", "saplus"}

# The formats that GDAL writes: the driver, the layer, the readers.
FROM_GDAL = [
    ("GPX 1.1", "GPX", "track_points", "gpx", ["gdal track_points", "gpsbabel gpx"]),
    ("KML, lines", "KML", "tracks", "kml", ["gdal", "gpsbabel kml"]),
    ("GeoJSON, points", "GeoJSON", "track_points", "geojson", ["gdal", "gpsbabel geojson"]),
    ("GeoJSON, lines", "GeoJSON", "tracks", "geojson", ["gdal"]),
    ("GeoJSON, one a line", "GeoJSONSeq", "track_points", "geojsonl", ["gdal"]),
]


def run(*command):
    """The standard output; the tool has status 1 if it has skipped a part."""
    result = subprocess.run(command, capture_output=True)
    is_tool = os.path.basename(command[0]) == "async-location-example"
    if result.returncode > (1 if is_tool else 0):
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr.decode()}")
    return result.stdout.decode()


def number(text):
    return float(text) if text not in (None, "") else None


def seconds(text):
    """The time of ISO 8601, or of GDAL, as seconds since 1970."""
    if not text:
        return None
    text = text.replace("/", "-").replace("Z", "+00:00")
    time = datetime.fromisoformat(re.sub(r"\+00$", "+00:00", text))
    return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()


class Readers:
    """How each program reads a file."""

    def __init__(self, tool):
        self.tool = tool

    def read(self, reader, path):
        name, _, argument = reader.partition(" ")
        return getattr(self, f"read_{name}")(path, argument)

    def read_tool(self, path, _=""):
        rows = csv.DictReader(io.StringIO(run(self.tool, "convert", path, "-", "--format", "csv")))
        return [Point(float(row["latitude"]), float(row["longitude"]), number(row["altitude"]),
                      seconds(row["timestamp"]), row["segment"]) for row in rows]

    def read_gpsbabel(self, path, format):
        points = points_of_gpx(run("gpsbabel", "-i", format, "-f", path, "-o", "gpx", "-F", "-"))
        # It reads no altitude of GeoJSON.
        return [point._replace(altitude=None) if format == "geojson" else point for point in points]

    def read_gdal(self, path, layer):
        columns = [option for axis, column in (("X", "longitude"), ("Y", "latitude"))
                   for option in ("-oo", f"{axis}_POSSIBLE_NAMES={column}") if path.suffix == ".csv"]
        output = run("ogr2ogr", "-f", "CSV", "-lco", "GEOMETRY=AS_WKT", *columns, "/vsistdout/", path,
                     *layer.split())
        csv.field_size_limit(1 << 30)
        points = []
        for row in csv.DictReader(io.StringIO(output)):
            positions = [position.split() for position
                         in re.findall(r"[-\d.e]+(?: [-\d.e]+)+", row["WKT"])]
            altitude = number(row.get("ele") or row.get("altitude"))
            time = seconds(row.get("time") or row.get("timestamp")) if len(positions) == 1 else None
            for longitude, latitude, *heights in positions:
                points.append(Point(float(latitude), float(longitude),
                                    number(heights[0]) if heights else altitude, time))
        return points

    def read_gpxpy(self, path, _):
        gpx = gpxpy.parse(path.read_text())
        return [Point(point.latitude, point.longitude, point.elevation,
                      point.time and seconds(point.time.isoformat()))
                for track in gpx.tracks for segment in track.segments for point in segment.points]

    def read_json(self, path, _):
        points = []
        for line in path.read_text(errors="replace").splitlines():
            report = json.loads(line) if line.startswith("{") else {}
            if report.get("class") == "TPV" and report.get("mode", 0) >= 2 and "lat" in report:
                is_3d = report["mode"] == 3
                points.append(Point(report["lat"], report["lon"],
                                    report.get("altMSL") if is_3d else None, seconds(report.get("time"))))
            elif "latitude" in report:
                points.append(Point(report["latitude"], report["longitude"], report.get("altitude"),
                                    seconds(report["timestamp"])))
        return points


def points_of_gpx(text):
    root = ElementTree.fromstring(text)
    for kind in ("trkpt", "rtept", "wpt"):
        found = [Point(float(point.get("lat")), float(point.get("lon")),
                       number(point.findtext("{*}ele")), seconds(point.findtext("{*}time")))
                 for point in root.iter() if point.tag.endswith("}" + kind)]
        if found:
            return found
    return []


def distance(first, second):
    """Metres between two points that are near each other."""
    flattening, radius = 1 / 298.257223563, 6378137
    eccentricity = flattening * (2 - flattening)
    latitude = math.radians(first.latitude)
    root = math.sqrt(1 - eccentricity * math.sin(latitude) ** 2)
    north = math.radians(second.latitude - first.latitude)
    east = math.radians((second.longitude - first.longitude + 180) % 360 - 180)
    return math.hypot(north * radius * (1 - eccentricity) / root ** 3,
                      east * math.cos(latitude) * radius / root)


class Row:
    """The agreement of two programs about a format, in all recordings."""

    def __init__(self):
        self.recordings = self.expected = self.judged = self.common = 0
        self.differences = [None, None, None]
        self.is_by_time = False

    def add(self, expected, judged, is_by_time):
        self.recordings += 1
        self.expected += len(expected)
        self.judged += len(judged)
        self.is_by_time = is_by_time
        pairs = nearest_of_same_time(expected, judged) if is_by_time else list(zip(expected, judged))
        self.common += len(pairs)
        for one, other in pairs:
            self.note(0, distance(one, other))
            for index, field in ((1, "altitude"), (2, "time")):
                values = getattr(one, field), getattr(other, field)
                if None not in values:
                    self.note(index, abs(values[0] - values[1]))

    def note(self, index, difference):
        self.differences[index] = max(self.differences[index] or 0, difference)

    def exceeds(self, tolerance):
        is_complete = self.common if self.is_by_time else self.expected == self.judged
        return not is_complete or any(
            difference is not None and not difference <= limit
            for difference, limit in zip(self.differences, tolerance))


def nearest_of_same_time(expected, judged):
    """Each judged point with the nearest expected one of its time."""
    by_time = defaultdict(list)
    for point in expected:
        if point.time is not None:
            by_time[round(point.time % WEEKS, 3)].append(point)
    pairs = []
    for point in judged:
        same = by_time[round(point.time % WEEKS, 3)]
        if same:
            nearest = min(same, key=lambda other: (
                distance(other, point), abs((other.altitude or 0) - (point.altitude or 0))))
            pairs.append((nearest._replace(time=nearest.time % WEEKS),
                          point._replace(time=point.time % WEEKS)))
    return pairs


class Table:
    def __init__(self):
        self.rows, self.tolerances = defaultdict(Row), {}

    def add(self, key, tolerance, expected, judged, is_by_time=False):
        self.rows[key].add(expected, judged, is_by_time)
        self.tolerances[key] = tolerance

    def print(self):
        """Prints the table; whether no row exceeds its tolerance."""
        print("| format | written by | read by | compared with | points | of the other | m | altitude, m"
              " | time, s | tolerance | |")
        print("|---|---|---|---|--:|--:|--:|--:|--:|---|---|")
        passes = True
        for key, row in self.rows.items():
            tolerance = self.tolerances[key]
            verdict = "EXCEEDS" if row.exceeds(tolerance) else "within"
            passes = passes and verdict == "within"
            others = f"{row.expected:,}" + (f", {row.common:,} compared" if row.is_by_time else "")
            differences = ["-" if each is None else f"{each:.4f}" for each in row.differences]
            limits = " ".join(f"{limit:g}" for limit in tolerance)
            print("|", " | ".join([*key, f"{row.judged:,}", others, *differences, limits, verdict]), "|")
        return passes


def name_of(reader):
    return {"gdal": "GDAL", "json": "Python's json"}.get(reader.split()[0], reader.split()[0])


def available(readers):
    return [reader for reader in readers if reader != "gpxpy" or gpxpy]


def compare_written(table, readers, source, folder):
    """Other programs read what the tool writes; expected is what it was given."""
    expected = readers.read("tool", source)
    for name, option, ending, others in WRITTEN:
        path = folder / f"written.{ending}"
        run(readers.tool, "convert", source, path, "--replace", "--format", option)
        check_xml(path)
        for other in available(others):
            # Segments of one point are points there, which gpsbabel takes for waypoints.
            if option == "geojson-lines" and other.startswith("gpsbabel") and has_single_points(expected):
                continue
            table.add((name, "the tool", name_of(other), "what was written"), PRINTED,
                      expected, readers.read(other, path))


def has_single_points(points):
    return 1 in Counter(point.segment for point in points).values()


def compare_read(table, readers, source, folder):
    """The tool reads what other programs write; expected is what they read."""
    gpx = folder / "source.gpx"
    run(readers.tool, "convert", source, gpx, "--replace")
    given = readers.read("tool", gpx)
    gpsbabel = ["gpsbabel", "-t", "-i", "gpx", "-f", gpx]
    for name, option, ending, others in FROM_GPSBABEL:
        path = folder / f"read.{ending}"
        if option == "igc" and not is_in_order(given, gpx):
            continue
        run(*gpsbabel, "-o", option, "-F", path)
        compare_readings(table, readers, name, "gpsbabel", path, others)
    for style, tolerance in STYLES:
        path = folder / "read.csv"
        points = [] if style in STYLES_WITH_TRACKS else ["-x", "transform,wpt=trk,del"]
        run(*gpsbabel, *points, "-o", style, "-F", path)
        judged = readers.read("tool", path)
        # Tables without times get made-up ones.
        if style in STYLES_WITHOUT_TIMES:
            judged = [point._replace(time=None) for point in judged]
        name = "NMEA 0183" if style == "nmea" else f"CSV, {style}"
        table.add((name, "gpsbabel", "the tool", "what was written"), tolerance,
                  given, judged)
    for name, driver, layer, ending, others in FROM_GDAL:
        path = folder / f"read.{ending}"
        path.unlink(missing_ok=True)
        run("ogr2ogr", "--config", "GPX_ELE_AS_25D", "YES", "-f", driver, path, gpx, layer)
        compare_readings(table, readers, name, "GDAL", path, others)
        if ending == "kml":
            archive = folder / "read.kmz"
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
                file.write(path, "doc.kml")
            compare_readings(table, readers, "KMZ, lines", "GDAL", archive, ["gdal"])
    if gpxpy:
        path = folder / "read.gpx"
        path.write_text(gpxpy.parse(gpx.read_text()).to_xml())
        compare_readings(table, readers, "GPX 1.1", "gpxpy", path, ["gpxpy"])


def is_in_order(points, gpx):
    """Whether IGC can have the points: it has times of a day, so that an earlier one may be of the next day.
    The tool takes it for that if it is half a day earlier. Of a point without a time gpsbabel writes the
    present one."""
    have_times = gpx.read_text().count("<time>") >= len(points)
    steps = [later.time - point.time for point, later in zip(points, points[1:])]
    return have_times and all(0 <= step < 43_200 for step in steps)


def compare_readings(table, readers, name, writer, path, others):
    judged = readers.read("tool", path)
    for other in available(others):
        expected = readers.read(other, path)
        table.add((name, writer, "the tool", name_of(other)), PRINTED, expected, judged)


def check_xml(path):
    if path.suffix not in (".gpx", ".kml"):
        return
    schema = Path(os.environ.get("ASYNC_LOCATION_SCHEMAS", ""), "gpx-1.1.xsd")
    options = ["--schema", schema] if path.suffix == ".gpx" and schema.is_file() else []
    run("xmllint", "--noout", *options, path)


def compare_corpus(table, readers, corpus):
    """The tool reads what receivers sent; expected is what gpsd and gpsbabel made of it."""
    for log in sorted(corpus.glob("**/*.log")):
        if not log.read_bytes().lstrip(b"#").startswith(b"$") and b"\n$G" not in log.read_bytes():
            continue
        judged = readers.read("tool", log)
        for other, path in (("json", log.with_suffix(".log.chk")), ("gpsbabel nmea", log)):
            name = "gpsd" if other == "json" else "gpsbabel"
            table.add(("NMEA 0183", "receivers", "the tool", name), RECEIVED[name],
                      readers.read(other, path), judged, is_by_time=True)
    for reports in sorted(corpus.glob("**/*.chk")):
        table.add(("gpsd JSON", "gpsd", "the tool", "Python's json"), PRINTED,
                  readers.read("json", reports), readers.read("tool", reports), is_by_time=True)


def compare_lengths(readers, paths, folder):
    """Whether `stats` measures tracks as PROJ does."""
    geod = pyproj.Geod(ellps="WGS84")
    greatest, total, passes = 0.0, 0.0, True
    for source in paths:
        path = folder / "length.csv"
        run(readers.tool, "convert", source, path, "--replace")
        text = run(readers.tool, "stats", path, "--format", "json", "--max-gap", "31536000")
        segments = defaultdict(list)
        for point in readers.read("tool", path):
            segments[point.segment].append(point)
        expected = sum(geod.line_length([point.longitude for point in points],
                                        [point.latitude for point in points])
                       for points in segments.values())
        difference = abs(json.loads(text).get("length", 0) - expected)
        passes = passes and difference <= LENGTH_TOLERANCE
        greatest, total = max(greatest, difference), total + expected
    print(f"\nLength: {len(paths)} tracks of {total / 1000:.3f} km, `stats` beside pyproj's Geod: at most"
          f" {greatest:.4f} m, tolerance {LENGTH_TOLERANCE:g} m a track,",
          "within" if passes else "EXCEEDS")
    return passes


def main(tool, folder, recording=None):
    folder, readers, table = Path(folder), Readers(tool), Table()
    recordings = [Path(recording)] if recording else []
    corpus = os.environ.get("ASYNC_LOCATION_CORPUS")
    if not recording:
        drive = folder / "drive.jsonl"
        drive.write_text(run(tool, "watch", "--backend", "replay", "--rate", "500", "--format", "json"))
        recordings.append(drive)
        if corpus:
            recordings += sorted(Path(corpus).glob("**/*.chk"))
    sources = []
    for index, path in enumerate(recordings):
        # Times that the tool makes up are the same in all that follows.
        source = folder / f"source{index}.jsonl"
        run(tool, "convert", path, source, "--format", "locations")
        if source.is_file() and len(readers.read("tool", source)) >= FEWEST_POINTS:
            sources.append(source)
    for source in sources:
        compare_written(table, readers, source, folder)
        compare_read(table, readers, source, folder)
    if corpus and not recording:
        compare_corpus(table, readers, Path(corpus))
    print(f"{len(sources)} recordings\n")
    passes = table.print()
    if pyproj:
        passes = compare_lengths(readers, sources, folder) and passes
    sys.exit(0 if passes else 1)


main(*sys.argv[1:])
