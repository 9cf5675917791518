"""Checks that a fleet loses no location while its broker, server and vehicle are killed."""

import collections
import datetime
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOOL = sys.argv[1]
KILLS = int(sys.argv[2])
LOCATIONS = int(sys.argv[3])
CONFIRMATION = sys.argv[5]
METERS_A_FIX = 30
FIXES_A_FENCE = 1_000
# More than a vehicle may have received and not stored when it is killed, also on a busy machine.
REPEATED = 3_000
START = datetime.datetime(2026, 5, 4, tzinfo=datetime.timezone.utc)


def latitude(meters):
    return meters / 110_574


def moment(number):
    return (START + datetime.timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def number_at(text):
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round((at - START).total_seconds())


class Receiver:
    """A gpsd whose only receiver is on a drive. It stands still while no client is connected."""

    def __init__(self, pause):
        self.pause = pause
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.last = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            try:
                self.feed(client)
            except OSError:
                pass  # Killed.
            client.close()

    def feed(self, client):
        client.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,'
                       b'"proto_minor":14}\n')
        client.recv(4_096)
        client.sendall(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/drive",'
                       b'"driver":"NMEA0183","activated":"2026-05-04T00:00:00.000Z"}]}\n'
                       b'{"class":"WATCH","enable":true,"json":true}\n')
        number = max(0, self.last - REPEATED)
        while number < LOCATIONS:
            client.sendall((json.dumps({
                "class": "TPV", "device": "/dev/drive", "mode": 3, "time": moment(number),
                "lat": latitude(number * METERS_A_FIX), "lon": 9.0, "eph": 5.0, "speed": 30.0,
            }) + "\n").encode())
            number += 1
            if number > self.last:
                self.last = number
                time.sleep(self.pause)
        client.recv(1)  # Stays connected until the client ends.


class Program:
    def __init__(self, folder, name, *command):
        self.name, self.command, self.folder = name, command, folder
        self.kills = 0
        self.start()

    def start(self):
        self.errors = open(os.path.join(self.folder, self.name + ".log"), "ab")
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            if line.endswith("\n"):  # Else the program was killed while it wrote the line.
                self.take(line)

    def take(self, line):
        pass

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.kills += 1
        time.sleep(random.uniform(0, 0.2))
        self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def log(self):
        with open(os.path.join(self.folder, self.name + ".log"), encoding="utf-8") as file:
            return file.read()


class Server(Program):
    """Collects the events that it prints."""

    def __init__(self, *arguments):
        self.events = {}
        self.repeated = 0
        super().__init__(*arguments)

    def take(self, line):
        if '"event"' not in line:
            return
        event = json.loads(line)
        content = [event["identifier"], event["previousState"], event["event"]]
        number = event["number"]
        if number in self.events:
            self.repeated += 1
            assert event.get("isRepeated"), f"event {number} came again without a mark"
            assert self.events[number] == content, f"event {number} changed"
        self.events[number] = content


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def write_fences(path):
    features = [{
        "type": "Feature", "id": f"fence {number}", "properties": {"radius": 1_000},
        "geometry": {"type": "Point", "coordinates": [
            9.0, latitude((number + 0.5) * FIXES_A_FENCE * METERS_A_FIX)]},
    } for number in range(LOCATIONS // FIXES_A_FENCE)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)
    return len(features)


def main():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o700)
    try:
        check(folder)
    finally:
        shutil.rmtree(folder)


def check(folder):
    def path(name):
        return os.path.join(folder, name)

    fences = write_fences(path("fences.geojson"))
    port = free_port()
    with open(path("mosquitto.conf"), "w", encoding="utf-8") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    receiver = Receiver(pause=0.001)
    url = f"mqtt://127.0.0.1:{port}"
    programs = [
        Program(folder, "broker", shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c",
                path("mosquitto.conf")),
        Server(folder, "server", TOOL, "fleet", "--broker", url, "--storage", path("fleet.db"),
               "--conditions", path("fences.geojson"), "--format", "json"),
        Program(folder, "vehicle", TOOL, "publish", "--broker", url, "--topic",
                "owntracks/jane/boat", "--confirm", CONFIRMATION, "--storage", path("boat.db"),
                "--host", "127.0.0.1", "--port", str(receiver.port)),
    ]
    broker, server, vehicle = programs
    begun = time.monotonic()
    for turn in random.sample(programs * KILLS, 3 * KILLS):
        # Each kill has its part of the drive.
        goal = sum(program.kills for program in programs) * LOCATIONS // (3 * KILLS + 1)
        while receiver.last < goal:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.4))
        turn.kill()
    while receiver.last < LOCATIONS:
        time.sleep(0.1)
    rounds = 0
    while True:
        time.sleep(2)
        vehicle.stop()
        last = vehicle.log().strip().splitlines()[-1]
        if last.endswith("; 0 wait."):
            break
        rounds += 1
        assert rounds < 200, last
        vehicle.start()
    server.stop()
    broker.stop()
    history = subprocess.run(
        [TOOL, "history", "jane/boat", "--storage", path("fleet.db"), "--format", "json"],
        capture_output=True, text=True, check=True)
    numbers = collections.Counter(
        number_at(json.loads(line)["timestamp"]) for line in history.stdout.splitlines())
    lost = [number for number in range(LOCATIONS) if number not in numbers]
    twice = [number for number, count in numbers.items() if count > 1]
    print(f"{KILLS} kills each of broker, server and vehicle in "
          f"{time.monotonic() - begun:.0f} s: {LOCATIONS} locations, {len(lost)} lost, "
          f"{len(twice)} twice; {len(server.events)} events of {2 * fences} crossings, "
          f"{server.repeated} came again, marked")
    if lost or twice or len(numbers) != LOCATIONS:
        print("lost:", lost[:20], "twice:", twice[:20], "in all:", len(numbers))
        raise SystemExit(1)


random.seed(int(sys.argv[4]))
main()
