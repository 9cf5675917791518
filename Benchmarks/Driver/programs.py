"""The measured programs, and functions that run them against a server."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The folder of programs built by scripts/benchmark-tools.
PROGRAMS = os.environ["BENCHMARK_PROGRAMS"]
DECODER = os.environ.get("BENCHMARK_DECODER_PROGRAMS", "")  # Empty if not built.
COUNTER = os.path.join(PROGRAMS, "libAllocationCounter.so")


@dataclass
class Client:
    name: str
    command: list
    title: str
    environment: dict = field(default_factory=dict)


def ours(mode, title):
    return Client(mode, [os.path.join(PROGRAMS, "async-location-loop"), mode], title)


LIBGPS = Client("libgps", [os.path.join(PROGRAMS, "libgps-loop")], "libgps, C loop")
FLOOR = Client("floor", [os.path.join(PROGRAMS, "floor-loop")], "recv only")
VALUES = Client("values", [os.path.join(DECODER, "decoder-loop")], "socket to the decoder's values")
OURS = [
    ours("events", "socket to events of the backend"),
    ours("reports", "socket to backend.reports()"),
    ours("updates", "socket to manager.updates"),
    ours("options", "socket to manager.updates(options)"),
    ours("executor", "the same on the socket's thread"),
]


def modes():
    """The modes that this build of the client lists in its usage."""
    usage = subprocess.run(OURS[0].command[:1], capture_output=True, text=True).stderr
    return {line.split()[0] for line in usage.splitlines() if line.startswith("  ")}


def clients(names=None):
    """The available clients in the order of the table; only the named ones if names are given."""
    offered = modes()
    everyone = [FLOOR, VALUES, *(client for client in OURS if client.name in offered)]
    return [client for client in everyone if names is None or client.name in names]


def until_stopped(main):
    """Runs a program; a signal raises an exit, so that servers and folders are cleaned up."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)


class Server:
    """A line-server that runs during a `with` statement."""

    def __init__(self, path, *options):
        command = [os.path.join(PROGRAMS, "line-server"), *map(str, options), path]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def parse(line):
    """The name-value pairs of a client's line; checksums stay text."""
    words = line.split()
    figures = dict(zip(words[::2], words[1::2]))
    return {
        key: value if key in ("checksum", "skysum") else float(value)
        for key, value in figures.items()
    }


def start(client, port, environment=None, wrapper=()):
    return subprocess.Popen(
        [*wrapper, *client.command, port],
        env={**os.environ, **client.environment, **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(client, process, limit=300):
    """Waits for a client to end; returns its figures and its error output."""
    try:
        output, complaints = process.communicate(timeout=limit)
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode != 0 or not output:
        raise SystemExit(f"{client.name}: status {process.returncode}\n{complaints}")
    return parse(output), complaints


def run(client, path, *options, environment=None, wrapper=()):
    """Runs one client against one server that sends the lines at `path`."""
    with Server(path, *options) as server:
        return finish(client, start(client, server.port, environment, wrapper))
