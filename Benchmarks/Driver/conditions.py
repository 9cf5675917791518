"""Measures the index of conditions: a fix at 30 m/s, adding, removing, memory."""

import os
import subprocess

import plots
import programs
from tables import number, show

COUNTS = (100, 1_000, 10_000, 100_000, 1_000_000)
AROUND = (1_000, 10_000, 100_000)
FIXES = 200_000


def measure(folder_of_plots):
    rows, device, fleet = [], [], []
    for count in COUNTS:
        mixed, circles = run(count), run(count, "circles")
        device.append((count, mixed["fix"]))
        fleet.append((count, mixed["fleet"]))
        # Below 10,000 conditions the memory is that of the program.
        rows.append([
            count, number(mixed["fix"]), number(mixed["fleet"]), number(mixed["add"]),
            number(mixed["remove"]), *(
                number(each["bytes"], 0) if count >= 100_000 else "-"
                for each in (circles, mixed))])
    show("Conditions: CPU us a fix at 30 m/s, and us and bytes a condition",
         ["conditions", "one device", "10,000 devices", "add", "remove", "circles, B",
          "circles, polygons and corridors, B"], rows)
    rows = []
    for count in AROUND:
        inside, ring = run(count, "around"), run(count, "ring", fixes=1_000)
        rows.append([
            count, number(inside["first"] / 1e3), number(inside["fix"]), number(ring["fix"])])
    show("CPU of a fix inside of circles that it does not leave, and in a ring of vertices as far away as "
         "the accuracy", ["circles or vertices", "first fix, ms", "next fixes, us", "ring, us"], rows)
    stored = run(100_000, "stored")
    print(f"100,000 conditions in a stored monitor: added in {stored['adding']:.2f} s, "
          f"opened in {stored['opening']:.2f} s")
    plots.draw(
        folder_of_plots, "conditions", "CPU per fix against conditions", "conditions",
        "CPU per fix, µs", {"one device": device, "10,000 devices": fleet}, logarithmic=True)


def run(count, *words, fixes=FIXES):
    command = [os.path.join(programs.PROGRAMS, "condition-loop"), str(count), str(fixes), *words]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in (pair.split("=") for pair in line.split())}
