"""Measures the offline geocoder beside PyPI's reverse_geocoder. Started by
scripts/benchmark-geocoding, which passes a folder for files."""

import argparse
import math
import os
import random
import subprocess
import sys
import time

import programs
from tables import median, number, show

try:
    import reverse_geocoder
except ImportError:
    reverse_geocoder = None

# Without a package of places, points near some cities.
CITIES = [(52.52, 13.405), (40.71, -74.01), (35.69, 139.69), (-33.87, 151.21), (-23.55, -46.64)]
NAMES = {
    "Berlin": "a name", "Paris, TX": "a name and a division", "Springfield, US": "and a country",
    "ber": "a prefix of three letters", "s": "of one letter", "Dresdeb": "one wrong letter",
    "Xqzzwkly": "an unknown name",
}


def main():
    parser = argparse.ArgumentParser(prog="scripts/benchmark-geocoding", allow_abbrev=False)
    parser.add_argument("folder")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    source = random.Random(47)
    points(given, "near cities, up to 20 km", [near(source) for _ in range(given.points)])
    points(given, "all over the sphere", [anywhere(source) for _ in range(given.points)])
    names(given)
    starts(given)
    print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def near(source):
    latitude, longitude = source.choice(cities())
    distance, angle = 20 / 111 * math.sqrt(source.random()), source.uniform(0, math.tau)
    latitude = min(89.9, max(-89.9, latitude + distance * math.cos(angle)))
    longitude += distance * math.sin(angle) / math.cos(math.radians(latitude))
    return latitude, (longitude + 180) % 360 - 180


def cities():
    if reverse_geocoder and not near_cities:
        geocoder = reverse_geocoder.RGeocoder(mode=1, verbose=False)
        near_cities.extend((float(l["lat"]), float(l["lon"])) for l in geocoder.locations)
    return near_cities or CITIES


near_cities = []


def anywhere(source):
    return math.degrees(math.asin(source.uniform(-1, 1))), source.uniform(-180, 180)


def points(given, title, coordinates):
    path = os.path.join(given.folder, "points")
    with open(path, "w") as file:
        file.writelines(f"{latitude:.6f} {longitude:.6f}\n" for latitude, longitude in coordinates)
    # One look-up at a time takes the package long.
    some = coordinates[:max(1, len(coordinates) // 20)]
    runs = {"OfflineGeocoder, one by one": lambda: loop("points", path),
            "the same with maximumDistance": lambda: loop("limited", path)}
    if reverse_geocoder:
        package = reverse_geocoder.RGeocoder(mode=1, verbose=False)
        runs["reverse_geocoder, one by one"] = lambda: seconds(
            lambda: [package.query([point]) for point in some]) / len(some)
        runs["reverse_geocoder, one batch"] = lambda: seconds(
            lambda: package.query(coordinates)) / len(coordinates)
    samples = {name: [] for name in runs}
    for _ in range(given.rounds):
        for name, run in runs.items():
            samples[name].append(run())
    ours = samples["OfflineGeocoder, one by one"]
    show(f"Look-ups a second of CPU time, {title}", ["", "median", "least", "most", "ours is"], [
        [name, *(f"{1 / figure(values):,.0f}" for figure in (median, max, min)),
         number(median(b / a for a, b in zip(ours, values)), 1) + " times"]
        for name, values in samples.items()])


def loop(mode, path):
    """CPU seconds of a request."""
    command = [os.path.join(programs.PROGRAMS, "geocoding-loop"), mode, path]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    figures = dict(pair.split("=") for pair in line.split())
    return float(figures["cpu"]) / float(figures["requests"])


def seconds(body):
    begun = time.process_time()
    body()
    return time.process_time() - begun


def names(given):
    rows = []
    for name, kind in NAMES.items():
        path = os.path.join(given.folder, "names")
        with open(path, "w") as file:
            file.write(f"{name}\n" * 300)
        values = [loop("names", path) * 1e6 for _ in range(given.rounds)]
        rows.append([name, kind, *(number(f(values), 0) for f in (median, min, max))])
    show("Names: us of CPU time", ["", "", "median", "least", "most"], rows)


def starts(given):
    rows = []
    for title, folder in (("static Swift", os.environ["BENCHMARK_STATIC_PROGRAMS"]),
                          ("dynamic", programs.PROGRAMS)):
        program = os.path.join(folder, "geocode-once")
        runs = {"no geocoding": [program], "one answer": [program, "47.1412", "9.5215"]}
        samples = {name: [] for name in runs}
        for _ in range(1 + 8 * given.rounds):
            for name, command in runs.items():
                samples[name].append(start(command))
        for name, values in samples.items():
            times = [1e3 * taken for taken in values[1:]]  # The first run reads the disk.
            rows.append([f"{title}, {name}", *(number(f(times), 2) for f in (median, min, max)),
                         number(max(peak(runs[name]) for _ in range(3)) / 1e6, 1)])
    show("From exec to the line: ms", ["", "median", "least", "most", "peak MB"], rows)


def start(command):
    """Seconds until the first line."""
    reader, writer = os.pipe()
    begun = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_CLOSE, reader)])
    os.close(writer)
    line = os.read(reader, 100)
    taken = time.perf_counter() - begun
    os.close(reader)
    _, status = os.waitpid(process, 0)
    if status != 0 or not line:
        sys.exit(f"{command[0]}: status {status}")
    return taken


def peak(command):
    """Bytes of resident memory at most. Those of a child of this process would include its own."""
    output = subprocess.run(["/usr/bin/time", "-f", "%M", *command], capture_output=True, text=True)
    return int(output.stderr.split()[-1]) * 1024


if __name__ == "__main__":
    programs.until_stopped(main)
