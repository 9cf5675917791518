"""Compares the events of a monitor that is killed again and again with those of one that is not."""

import os
import random
import sys
import tempfile
import time

from drive import METERS_A_FIX, Receiver, write_fences
from programs import EventLog, EventProgram

KILLS = int(sys.argv[2])
FENCES = max(6, min(60, KILLS))
EVENTS = 2 * FENCES  # Each is entered and left.
SPACING = 5_000
FIXES = FENCES * SPACING // METERS_A_FIX
PAUSE = 0.004
PATIENCE = 60


def run(tool, kills):
    """Drives to the end. Returns the events."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        write_fences(os.path.join(folder, "fences.geojson"), FENCES, SPACING)
        receiver = Receiver(FIXES, PAUSE)
        log = EventLog()
        program = EventProgram(
            log, None, folder, "fences", tool, "fences", "--conditions",
            os.path.join(folder, "fences.geojson"), "--state",
            os.path.join(folder, "fences.sqlite"), "--format", "json", "--host", "127.0.0.1",
            "--port", str(receiver.port))
        for _ in range(kills):
            if not receiver.watched.wait(PATIENCE):
                raise SystemExit("the tool does not connect: " + program.log()[-2_000:])
            time.sleep(random.uniform(0, FIXES * PAUSE / (kills + 1) * 1.2))
            program.kill()
            receiver.watched.clear()
            program.start()
        while receiver.last < FIXES:
            time.sleep(0.1)
            if program.process.poll() is not None:
                raise SystemExit("the tool ended: " + program.log()[-2_000:])
        deadline = time.monotonic() + PATIENCE
        while len(log.events) < EVENTS:
            time.sleep(0.1)
            if time.monotonic() > deadline:
                raise SystemExit(f"{len(log.events)} of {EVENTS} events: " + program.log()[-2_000:])
        time.sleep(0.2)  # For an event that was not expected.
        program.kill()
        log.check()
        return log


def main(tool, seed):
    random.seed(seed)
    undisturbed = run(tool, 0)
    killed = run(tool, KILLS)
    same = killed.events == undisturbed.events
    alike = {n: e[:-1] for n, e in killed.events.items()} == {
        n: e[:-1] for n, e in undisturbed.events.items()}
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
