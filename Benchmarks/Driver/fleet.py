"""Measures a fleet beside mosquitto_sub. Started by scripts/benchmark-fleet."""

import argparse
import contextlib
import os
import random
import socket
import subprocess
import tempfile
import time

from database import Database
from plots import draw
from programs import PROGRAMS, until_stopped
from tables import median, number, show

LOOP, FEEDER, HISTORY = (
    os.path.join(PROGRAMS, name) for name in ("fleet-loop", "fleet-feeder", "history-loop"))
TOOL = os.environ["BENCHMARK_TOOL"]


@contextlib.contextmanager
def broker():
    """A mosquitto on a free port that drops nothing; its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type none\n"
                   "max_queued_messages 0\nmax_inflight_messages 0\n")
        file.flush()
        process = subprocess.Popen(["mosquitto", "-c", file.name], stderr=subprocess.DEVNULL)
        try:
            for _ in range(500):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.01)
            yield port
        finally:
            process.terminate()
            process.wait()


def copied(database, count):
    """The rows a second that COPY writes to a table without an index."""
    database.query("CREATE TABLE bare (device bigint, time float8, latitude float8, longitude float8,"
               " altitude float8, accuracy float8, speed float8, course float8)")
    with tempfile.TemporaryFile("w+") as file:
        for index in range(count):
            file.write(f"{index % 1000}\t{index}\t{48 + random.random():.6f}\t"
                       f"{11 + random.random():.6f}\t512\t5\t13.9\t{index % 360}\n")
        file.seek(0)
        begun = time.monotonic()
        database.query("COPY bare FROM STDIN", stdin=file)
        return count / (time.monotonic() - begun)


def feed(port, count, devices, rate=0, confirm=False):
    command = [FEEDER, str(port), str(count), str(devices), str(rate)]
    subprocess.run([*command, *(["confirm"] if confirm else [])], check=True, stdout=subprocess.DEVNULL)


class Consumer:
    """A fleet-loop that is connected."""

    def __init__(self, port, count, *words):
        self.process = subprocess.Popen(
            [LOOP, str(port), str(count), *words], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit("fleet-loop did not connect")

    def result(self, stop=False):
        """What it printed, by name; with `stop`, what has arrived so far."""
        if stop:
            self.process.stdin.write("stop\n")
            self.process.stdin.flush()
        words = self.process.stdout.read().split()
        self.process.wait()
        return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def ours(port, count, devices, rate=0, words=(), confirm=False):
    """CPU microseconds and wall seconds for all, and the whole result."""
    consumer = Consumer(port, count, *words)
    feed(port, count, devices, rate, confirm)
    result = consumer.result()
    return result["cpu"] / count * 1e6, result["seconds"], result


def theirs(port, count, devices, rate=0):
    """CPU microseconds a message and wall seconds of mosquitto_sub."""
    process = subprocess.Popen(
        ["mosquitto_sub", "-p", str(port), "-q", "1", "-t", "owntracks/+/+", "-C", str(count)],
        stdout=subprocess.DEVNULL)
    time.sleep(0.5)  # It does not say when it is subscribed.
    feeder = subprocess.Popen(
        [FEEDER, str(port), str(count), str(devices), *([str(rate)] if rate else [])],
        stdout=subprocess.DEVNULL)
    begun = time.monotonic()
    _, _, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    feeder.wait()
    return (usage.ru_utime + usage.ru_stime) / count * 1e6, seconds


def throughput(count, rounds):
    """One consumer as fast as the broker feeds it."""
    mine, other = [], []
    with broker() as port:
        for _ in range(rounds):
            mine.append(ours(port, count, 1_000)[:2])
            other.append(theirs(port, count, 1_000))
    rows = []
    for name, results in (("Fleet", mine), ("mosquitto_sub", other)):
        cost = median([cpu for cpu, _ in results])
        rows.append([
            name, number(cost), number(median([count / s for _, s in results]), 0),
            number(1e6 / cost, 0)])
    show(f"{count:,} locations of 1,000 devices, QoS 0, medians of {rounds} rounds",
         ["consumer", "CPU us each", "arrived a second", "a second of CPU"], rows)


def stored(count, rounds):
    """The same with a storage, until everything is stored."""
    rows = []
    with broker() as port, tempfile.TemporaryDirectory() as folder:
        def measure(name, place):
            results = {False: [], True: []}
            for round in range(2 * rounds):
                confirm = round % 2 == 1
                results[confirm].append(
                    ours(port, count, 1_000, words=("--storage", place(round)), confirm=confirm))
            for confirm, measured in results.items():
                rows.append([f"{name}, confirmed" if confirm else name,
                             number(median([cost for cost, _, _ in measured])),
                             number(median([count / seconds for _, seconds, _ in measured]), 0)])

        measure("SQLite", lambda round: os.path.join(folder, f"{round}.sqlite"))
        with tempfile.TemporaryDirectory() as server, Database(server) as database:
            def empty(_):
                database.query("DROP SCHEMA IF EXISTS async_location CASCADE")
                return database.uri

            measure("PostgreSQL", empty)
            rows.append(["COPY into a bare table", "", number(copied(database, count), 0)])
    show(f"{count:,} locations of 1,000 devices, stored, medians of {rounds} rounds",
         ["", "CPU us each", "stored a second"], rows)


def published(count, rounds):
    """One vehicle that publishes what it has to a server that stores it."""
    def publish(port, folder, name, confirmation):
        begun = time.monotonic()
        subprocess.run(
            [TOOL, "publish", "--broker", f"mqtt://127.0.0.1:{port}", "--topic", f"owntracks/jane/{name}",
             "--backend", "replay", "--file", os.path.join(folder, "drive.gpx"), "--rate", "1000000",
             "--confirm", confirmation, "--storage", os.path.join(folder, f"{name}.sqlite")],
            check=True, stderr=subprocess.DEVNULL)
        return count / (time.monotonic() - begun)

    rates = {"broker": [], "stored": []}
    with broker() as port, tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "drive.gpx"), "w") as file:
            file.write('<gpx version="1.1" creator="benchmark" '
                       'xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>')
            for index in range(count):
                moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + index))
                file.write(f'<trkpt lat="{48 + index * 1e-4:.6f}" lon="11"><time>{moment}</time></trkpt>\n')
            file.write("</trkseg></trk></gpx>")
        server = subprocess.Popen(
            [TOOL, "fleet", "--broker", f"mqtt://127.0.0.1:{port}", "--format", "json", "--storage",
             os.path.join(folder, "fleet.sqlite")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            publish(port, folder, "first", "stored")  # Returns when the server follows the fleet.
            for round in range(rounds):
                for confirmation, found in rates.items():
                    found.append(publish(port, folder, f"{confirmation}{round}", confirmation))
        finally:
            server.terminate()
            server.wait()
    show(f"{count:,} locations of one device, published from a file, medians of {rounds} rounds",
         ["--confirm", "a second"],
         [[confirmation, number(median(found), 0)] for confirmation, found in rates.items()])


def history(points):
    """Questions about a history of 1,000 devices."""
    def ask(storage):
        output = subprocess.run([HISTORY, storage, "1000", str(points // 1_000)], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        return [line.split("\t") for line in output.splitlines()]

    with tempfile.TemporaryDirectory() as folder:
        rows = ask(os.path.join(folder, "fleet.sqlite"))
    show(f"a history of {points:,} locations of 1,000 devices, SQLite", ["", "result"], rows)
    with tempfile.TemporaryDirectory() as folder, Database(folder) as database:
        rows = ask(database.uri)
        bytes, packed = database.query(
            "SELECT pg_total_relation_size('async_location.chunk'), sum(count)"
            " FROM async_location.chunk").split("|")
        rows.append(["bytes a location", number(int(bytes) / int(packed))])
    show(f"a history of {points:,} locations of 1,000 devices, PostgreSQL", ["", "result"], rows)


def steady(seconds):
    """10,000 devices at 1 Hz."""
    count = 10_000 * seconds
    with broker() as port:
        mine = ours(port, count, 10_000, 10_000)
        other = theirs(port, count, 10_000, 10_000)
    show(f"10,000 devices at 1 Hz for {seconds} s", ["consumer", "% of a core"],
         [["Fleet", number(mine[0] * count / 1e4 / mine[1], 1)],
          ["mosquitto_sub", number(other[0] * count / 1e4 / other[1], 1)]])


def memory():
    """100,000 known devices."""
    devices = 100_000
    with broker() as port:
        few = ours(port, 200_000, 100)[2]
        many = ours(port, 2 * devices, devices)[2]
    show("memory of 100,000 known devices", ["bytes a device", ""],
         [["resident", number((many["bytes"] - few["bytes"]) / devices, 0)],
          ["allocated", number((many["allocated"] - few["allocated"]) / devices, 0)]])


def groups(count):
    """Consumers that share one subscription."""
    rows = []
    for size in (1, 2, 4):
        with broker() as port:
            members = [Consumer(port, count, "g") for _ in range(size)]
            feed(port, count, 1_000, 20_000)
            time.sleep(2)  # What is under way; a group's members do not know their shares.
            # A single member ends by itself.
            results = [member.result(stop=size > 1) for member in members]
        shares = [int(result["received"]) for result in results]
        rows.append([size, f"{sum(shares):,}", f"{count - sum(shares):,}",
                     " ".join(f"{share:,}" for share in shares)])
    show(f"groups that share {count:,} locations", ["members", "received", "lost", "shares"], rows)


def growth(count, folder):
    """Cost against the number of devices."""
    points = {"Fleet": [], "mosquitto_sub": []}
    rows = []
    with broker() as port:
        for devices in (100, 1_000, 10_000, 100_000):
            mine, other = ours(port, count, devices)[0], theirs(port, count, devices)[0]
            points["Fleet"].append((devices, mine))
            points["mosquitto_sub"].append((devices, other))
            rows.append([f"{devices:,}", number(mine), number(other)])
    show("CPU us a location, by number of devices", ["devices", "Fleet", "mosquitto_sub"], rows)
    draw(folder, "fleet-devices", "Cost of a location", "devices", "CPU microseconds", points, True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plots")
    parser.add_argument("--history", type=int)
    parser.add_argument("--confirmation", action="store_true")
    options = parser.parse_args()
    if options.history:
        return history(options.history)
    if options.confirmation:
        stored(options.count, options.rounds)
        return published(20_000, options.rounds)
    throughput(options.count, options.rounds)
    stored(options.count, options.rounds)
    published(20_000, options.rounds)
    steady(10)
    memory()
    groups(100_000)
    growth(options.count, options.plots)


until_stopped(main)
