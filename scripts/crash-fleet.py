"""Checks that a fleet loses no location while its broker, server and vehicle are killed."""

import collections
import os
import random
import shutil
import sys
import tempfile
import time

from drive import METERS_A_FIX, Receiver, write_fences
from programs import (
    EventLog, EventProgram, Program, drain, free_ports, kill_all, numbers_in_history)

TOOL = sys.argv[1]
KILLS = int(sys.argv[2])
LOCATIONS = int(sys.argv[3])
CONFIRMATION = sys.argv[5]
FIXES_A_FENCE = 1_000
# More than a vehicle may have received and not stored when it is killed, also on a busy machine.
REPEATED = 3_000


def main():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o700)
    try:
        check(folder)
    finally:
        kill_all()
        shutil.rmtree(folder)


def check(folder):
    def path(name):
        return os.path.join(folder, name)

    fences = LOCATIONS // FIXES_A_FENCE
    write_fences(path("fences.geojson"), fences, FIXES_A_FENCE * METERS_A_FIX)
    [port] = free_ports(1)
    with open(path("mosquitto.conf"), "w", encoding="utf-8") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    receiver = Receiver(LOCATIONS, pause=0.001, repeated=REPEATED)
    url = f"mqtt://127.0.0.1:{port}"
    events = EventLog()
    broker = Program(folder, "broker", shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c",
                     path("mosquitto.conf"))
    server = EventProgram(events, None, folder, "server", TOOL, "fleet", "--broker", url, "--storage",
                          path("fleet.db"), "--conditions", path("fences.geojson"), "--format", "json")
    vehicle = Program(folder, "vehicle", TOOL, "publish", "--broker", url, "--topic",
                      "owntracks/jane/boat", "--confirm", CONFIRMATION, "--storage",
                      path("boat.db"), "--host", "127.0.0.1", "--port", str(receiver.port))
    programs = [broker, server, vehicle]
    begun = time.monotonic()
    for turn in random.sample(programs * KILLS, 3 * KILLS):
        # Each kill has its part of the drive.
        goal = sum(program.kills for program in programs) * LOCATIONS // (3 * KILLS + 1)
        while receiver.last < goal:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.4))
        turn.restart()
    while receiver.last < LOCATIONS:
        time.sleep(0.1)
    drain([vehicle])
    server.stop()
    broker.stop()
    events.check_numbers()
    numbers = collections.Counter(numbers_in_history(TOOL, "jane/boat", path("fleet.db")))
    lost = [number for number in range(LOCATIONS) if number not in numbers]
    twice = [number for number, count in numbers.items() if count > 1]
    print(f"{KILLS} kills each of broker, server and vehicle in "
          f"{time.monotonic() - begun:.0f} s: {LOCATIONS} locations, {len(lost)} lost, "
          f"{len(twice)} twice; {len(events.events)} events of {2 * fences} crossings, "
          f"{events.repeated} came again, marked")
    if lost or twice or len(numbers) != LOCATIONS:
        print("lost:", lost[:20], "twice:", twice[:20], "in all:", len(numbers))
        raise SystemExit(1)


random.seed(int(sys.argv[4]))
main()
