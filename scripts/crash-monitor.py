"""Compares the events of a monitor that is killed again and again with those of one that is not."""

import json
import os
import queue
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

KILLS = int(sys.argv[2])
FENCES = max(6, min(60, KILLS))
EVENTS = 2 * FENCES  # Each is entered and left.
METERS_A_FIX = 30
FIXES = FENCES * 5_000 // METERS_A_FIX
PAUSE = 0.004
PATIENCE = 60


def latitude(meters):
    return meters / 110_574


def fix(number):
    hours, rest = divmod(number, 3_600)
    return json.dumps({
        "class": "TPV", "device": "/dev/drive", "mode": 3,
        "time": f"2026-05-04T{hours:02}:{rest // 60:02}:{rest % 60:02}.000Z",
        "lat": latitude(number * METERS_A_FIX), "lon": 9.0, "eph": 5.0, "speed": 30.0}) + "\n"


def conditions(path):
    features = [{
        "type": "Feature", "id": f"fence {number}", "properties": {"radius": 1_000},
        "geometry": {"type": "Point", "coordinates": [9.0, latitude(number * 5_000 + 2_500)]},
    } for number in range(FENCES)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)


class Drive:
    """A gpsd whose only receiver is on a drive. It stands still while no client is connected."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.last = 0
        self.watched = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while self.last < FIXES:
            client, _ = self.listener.accept()
            try:
                self.feed(client)
            except OSError:
                pass  # Killed.
            self.watched.clear()

    def feed(self, client):
        client.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,'
                       b'"proto_minor":14}\n')
        client.recv(4_096)
        client.sendall(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/drive",'
                       b'"driver":"NMEA0183","activated":"2026-05-04T00:00:00.000Z"}]}\n'
                       b'{"class":"WATCH","enable":true,"json":true}\n')
        self.watched.set()
        while self.last < FIXES:
            client.sendall(fix(self.last).encode())
            time.sleep(PAUSE)
            self.last += 1
        client.recv(1)  # Stays connected until the client ends.


class Consumer:
    """Runs the tool, and collects the events that it prints."""

    def __init__(self, tool, folder, port):
        self.command = [
            tool, "fences", "--conditions", os.path.join(folder, "fences.geojson"), "--state",
            os.path.join(folder, "fences.sqlite"), "--format", "json", "--host", "127.0.0.1",
            "--port", str(port)]
        self.events = {}
        self.repeated = 0
        self.lines = queue.Queue()
        self.messages = open(os.path.join(folder, "messages"), "wb")

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self.messages, text=True)
        process = self.process
        threading.Thread(target=self.read, args=(process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            if line.endswith("\n"):  # Else the tool was killed while it wrote the line.
                self.lines.put(line)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def take(self):
        """Takes what was printed."""
        try:
            while True:
                self.add(json.loads(self.lines.get(timeout=0.2)))
        except queue.Empty:
            return

    def add(self, event):
        number = event["number"]
        content = [event["identifier"], event["previousState"], event["state"],
                   event.get("timestamp")]
        if number in self.events:
            self.repeated += 1
            assert event.get("isRepeated"), f"event {number} came again without a mark"
            assert self.events[number] == content, f"event {number} changed"
        self.events[number] = content


def run(tool, kills):
    """Drives to the end. Returns the events and how many came again."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        conditions(os.path.join(folder, "fences.geojson"))
        drive = Drive()
        consumer = Consumer(tool, folder, drive.port)
        consumer.start()
        for _ in range(kills):
            if not drive.watched.wait(PATIENCE):
                raise SystemExit("the tool does not connect: " + messages(folder))
            time.sleep(random.uniform(0, FIXES * PAUSE / (kills + 1) * 1.2))
            consumer.kill()
            drive.watched.clear()
            consumer.start()
        while drive.last < FIXES:
            time.sleep(0.1)
            if consumer.process.poll() is not None:
                raise SystemExit("the tool ended: " + messages(folder))
        deadline = time.monotonic() + PATIENCE
        while len(consumer.events) < EVENTS:
            consumer.take()
            if time.monotonic() > deadline:
                raise SystemExit(f"{len(consumer.events)} of {EVENTS} events: " + messages(folder))
        consumer.take()  # What was not expected.
        consumer.kill()
        return consumer


def messages(folder):
    with open(os.path.join(folder, "messages"), encoding="utf-8") as file:
        return file.read()[-2_000:]


def main(tool, seed):
    random.seed(seed)
    undisturbed = run(tool, 0)
    killed = run(tool, KILLS)
    same = killed.events == undisturbed.events
    alike = {n: e[:3] for n, e in killed.events.items()} == {
        n: e[:3] for n, e in undisturbed.events.items()}
    print(f"{KILLS} kills, {len(undisturbed.events)} events undisturbed, "
          f"{len(killed.events)} events killed, {killed.repeated} came again")
    print(f"numbers, identifiers and states: {'equal' if alike else 'DIFFERENT'}; "
          f"times: {'equal' if same else 'a fix later where one was lost with the process'}")
    if not alike:
        for number in sorted(set(killed.events) | set(undisturbed.events)):
            pair = (undisturbed.events.get(number), killed.events.get(number))
            if pair[0] != pair[1]:
                print(number, *pair)
        raise SystemExit(1)


main(sys.argv[1], int(sys.argv[3]))
