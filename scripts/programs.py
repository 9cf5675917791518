"""Programs that are killed and started again, and what they print."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

from drive import number_at


def free_ports(count):
    """Different ports of 127.0.0.1 on which nothing listens."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


PROGRAMS = []


def kill_all():
    """Kills the programs that still run, whatever ended the check."""
    for program in PROGRAMS:
        program.process.kill()


class Program:
    """A process whose lines `handle` receives, and whose messages are in a file of `folder`, each after
    the seconds since the file was begun."""

    def __init__(self, folder, name, *command):
        self.name, self.command, self.folder = name, command, folder
        self.kills = 0
        PROGRAMS.append(self)
        self.begun = time.monotonic()
        with open(os.path.join(folder, name + ".log"), "w", encoding="utf-8"):
            pass  # Exists before a message does.
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.readers = [threading.Thread(target=reader, args=(self.process,), daemon=True)
                        for reader in (self.read, self.read_messages)]
        for reader in self.readers:
            reader.start()

    def read(self, process):
        for line in process.stdout:
            if line.endswith("\n"):  # Else the program was killed while it wrote the line.
                self.handle(line)

    def read_messages(self, process):
        with open(os.path.join(self.folder, self.name + ".log"), "a", encoding="utf-8") as file:
            for line in process.stderr:
                file.write(f"{time.monotonic() - self.begun:.1f} {line}")
                file.flush()

    def join(self):
        for reader in self.readers:
            reader.join()

    def handle(self, line):
        pass

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.join()
        self.kills += 1

    def restart(self):
        self.kill()
        time.sleep(random.uniform(0, 0.2))
        self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.join()

    def log(self):
        with open(os.path.join(self.folder, self.name + ".log"), encoding="utf-8") as file:
            return file.read()


class EventLog:
    """The numbered events that programs print. One that comes again is marked, and is the same."""

    def __init__(self):
        self.events = {}
        self.repeated = 0
        self.problem = None

    def add(self, event, scope=None):
        """`scope` names what numbers its events by itself."""
        number = (scope, event["number"])
        content = [event[name] for name in ("identifier", "previousState")]
        content += [event.get(name) for name in ("device", "event", "state", "timestamp")]
        if number in self.events:
            self.repeated += 1
            if not event.get("isRepeated"):
                self.problem = f"event {number} came again without a mark"
            elif self.events[number] != content:
                self.problem = f"event {number} changed"
        self.events[number] = content

    def check(self):
        if self.problem:
            raise SystemExit(self.problem)

    def check_numbers(self):
        """Each scope's numbers are those from 1 on."""
        self.check()
        if not self.events:
            raise SystemExit("no events")
        for scope in {scope for scope, _ in self.events}:
            numbers = sorted(number for other, number in self.events if other == scope)
            if numbers != list(range(1, len(numbers) + 1)):
                raise SystemExit(f"events of {scope} are missing: {len(numbers)} up to {numbers[-1]}")


class EventProgram(Program):
    """A command of the tool that prints events, with an `EventLog`."""

    def __init__(self, log, scope, *arguments):
        self.events, self.scope = log, scope
        super().__init__(*arguments)

    def handle(self, line):
        if '"previousState"' in line:
            self.events.add(json.loads(line), self.scope)


def numbers_in_history(tool, device, storage):
    """The numbers of the locations of a device, one for each line of `history`."""
    lines = subprocess.run(
        [tool, "history", device, "--storage", storage, "--format", "json"], capture_output=True,
        text=True, check=True).stdout.splitlines()
    return [number_at(json.loads(line)["timestamp"]) for line in lines]


def drain(vehicles):
    """Stops vehicles, and starts them again until nothing waits in their storages."""
    for _ in range(200):
        time.sleep(2)
        for vehicle in vehicles:
            vehicle.stop()
        waiting = [vehicle for vehicle in vehicles
                   if not vehicle.log().strip().splitlines()[-1].endswith("; 0 wait.")]
        if not waiting:
            return
        vehicles = waiting
        for vehicle in vehicles:
            vehicle.start()
    raise SystemExit("locations still wait: " + vehicles[0].log()[-2_000:])
