"""Checks that a fleet in partitions survives the nodes of its cluster, and its servers."""

import bisect
import collections
import contextlib
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request

from database import Database
from drive import METERS_A_FIX, Receiver, number_at, write_fences
from programs import (
    EventLog, EventProgram, Program, drain, free_ports, kill_all, numbers_in_history)

TOOL = sys.argv[1]
NODE_KILLS, SERVER_KILLS, VEHICLES = (int(text) for text in sys.argv[2:5])
PARTITIONS = 4
FIXES_A_FENCE = 200
FENCES = 500
DRIVE = 10_000_000  # Longer than any run.
SILENCE = 90  # Far more than the cluster needs to elect leaders.
# The mapping contains what devices publish, and not `cmd` and `stored`, which servers publish.
MAPPINGS = {
    "owntracks.*.*": "fleet.{{partition(%d,1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}" % PARTITIONS,
}


class Node(Program):
    """A NATS server with JetStream and MQTT."""

    def __init__(self, folder, number, ports):
        self.mqtt, route, client, self.monitor = ports[number]
        routes = ", ".join(f'"nats-route://127.0.0.1:{route}"' for _, route, _, _ in ports)
        configuration = f"""
          server_name: node{number}
          listen: "127.0.0.1:{client}"
          http: "127.0.0.1:{self.monitor}"
          jetstream {{ store_dir: "{folder}/node{number}" }}
          mqtt {{ listen: "127.0.0.1:{self.mqtt}", ack_wait: "1s", stream_replicas: 3 }}
          cluster {{ name: test, listen: "127.0.0.1:{route}", routes: [{routes}] }}
          mappings: {json.dumps(MAPPINGS)}
          """
        path = os.path.join(folder, f"node{number}.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration)
        super().__init__(folder, f"node{number}", shutil.which("nats-server"), "-c", path)

    def wait_until_healthy(self):
        while True:
            if self.process.poll() is not None:
                raise SystemExit("the node ended: " + self.log()[-2_000:])
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/healthz"):
                    return
            time.sleep(0.05)


class Arrivals:
    """When the locations of each vehicle were printed, and which."""

    def __init__(self):
        self.numbers = collections.defaultdict(list)
        self.times = collections.defaultdict(list)

    def add(self, device, number):
        self.numbers[device].append(number)
        self.times[device].append(time.monotonic())

    def gap(self, since):
        """The longest time without a location of one vehicle since an instant, until the last one of
        each; `None` if a vehicle has none since then."""
        gaps = []
        for times in list(self.times.values()):
            recent = times[bisect.bisect(times, since):]
            if not recent:
                return None
            gaps += [after - before for before, after in zip([since] + recent, recent)]
        return max(gaps)


class Server(EventProgram):
    """A process for one partition."""

    def __init__(self, arrivals, *arguments):
        self.arrivals = arrivals
        super().__init__(*arguments)

    def handle(self, line):
        super().handle(line)
        value = json.loads(line)
        if "latitude" in value and not value["isRetained"]:
            self.arrivals.add(value["device"], number_at(value["timestamp"]))


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
        os.chmod(folder, 0o700)
        with Database(data) as database:
            try:
                check(folder, database.uri)
            finally:
                kill_all()


def check(folder, database):
    def path(name):
        return os.path.join(folder, name)

    # For MQTT, routes, other clients and the monitor.
    free = free_ports(12)
    ports = [free[:4], free[4:8], free[8:]]
    nodes = [Node(folder, number, ports) for number in range(3)]
    for node in nodes:
        node.wait_until_healthy()
    write_fences(path("fences.geojson"), FENCES, FIXES_A_FENCE * METERS_A_FIX)
    events, arrivals = EventLog(), Arrivals()

    def url(first):
        order = nodes[first % 3:] + nodes[:first % 3]
        return "mqtt://" + ",".join(f"127.0.0.1:{node.mqtt}" for node in order)

    def server(name, partition):
        return Server(
            arrivals, events, partition, folder, f"{name}{partition}", TOOL, "fleet", "--broker",
            url(partition), "--partition", str(partition), "--storage", database, "--conditions",
            path("fences.geojson"), "--format", "json")

    servers = {"a": [server("a", 0), server("a", 1)], "b": [server("b", 2), server("b", 3)]}
    for process in servers["a"] + servers["b"]:
        while "connected" not in process.log():
            time.sleep(0.1)
    servers["a"] += [server("a", 2), server("a", 3)]
    servers["b"] += [server("b", 0), server("b", 1)]
    receivers = [Receiver(DRIVE, pause=0.05) for _ in range(VEHICLES)]
    vehicles = [
        Program(folder, f"vehicle{number}", TOOL, "publish", "--broker", url(number), "--topic",
                f"owntracks/jane/boat{number}", "--confirm", "stored", "--storage",
                path(f"boat{number}.db"), "--host", "127.0.0.1", "--port", str(receiver.port))
        for number, receiver in enumerate(receivers)]
    while len(arrivals.numbers) < VEHICLES:
        time.sleep(0.1)
    gaps = []

    def await_all(since):
        while arrivals.gap(since) is None:
            if time.monotonic() > since + SILENCE:
                raise SystemExit(f"no location of a vehicle for {SILENCE} s")
            time.sleep(0.05)
        time.sleep(random.uniform(0.5, 1.5))
        gaps.append(arrivals.gap(since))
        print(f"{gaps[-1]:.1f} s", file=sys.stderr)

    begun = time.monotonic()
    for turn in range(NODE_KILLS):
        since = time.monotonic()
        node = nodes[turn % 3]
        node.kill()
        await_all(since)
        node.start()
        node.wait_until_healthy()
        time.sleep(random.uniform(1, 2))
    node_gaps = list(gaps)
    # What was printed by then was printed in the order of the vehicle.
    ordered = {device: set(numbers) for device, numbers in arrivals.numbers.items()}
    last = {device: max(numbers) for device, numbers in ordered.items()}
    gaps.clear()
    for turn in range(SERVER_KILLS):
        since = time.monotonic()
        processes = servers["ab"[turn % 2]]
        for process in processes:
            process.process.kill()
        for process in processes:
            process.kill()
        await_all(since)
        for process in processes:
            process.start()
        time.sleep(random.uniform(1, 2))
    for receiver in receivers:
        receiver.count = receiver.last
    drain(vehicles)
    for process in servers["a"] + servers["b"]:
        process.stop()
    for node in nodes:
        node.stop()
    events.check_numbers()
    total = lost = twice = late = 0
    for number, receiver in enumerate(receivers):
        device = f"jane/boat{number}"
        counts = collections.Counter(numbers_in_history(TOOL, device, database))
        total += receiver.last
        lost += sum(1 for number in range(receiver.last) if number not in counts)
        twice += sum(count - 1 for count in counts.values())
        late += sum(1 for number in range(last[device]) if number not in ordered[device])
    print(f"{NODE_KILLS} kills of nodes and {SERVER_KILLS} of servers in "
          f"{time.monotonic() - begun:.0f} s: {total} locations of {VEHICLES} vehicles, {lost} lost, "
          f"{twice} twice, {late} after later ones while nodes were killed; "
          f"{len(events.events)} events, {events.repeated} came again, marked")
    for name, values in (("node", node_gaps), ("server", gaps)):
        if values:
            print(f"no location of a vehicle after the kill of a {name}: median "
                  f"{statistics.median(values):.1f} s, at most {max(values):.1f} s")
    if lost or twice:
        raise SystemExit(1)


random.seed(int(sys.argv[5]))
main()
