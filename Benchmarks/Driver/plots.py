"""Plots the growth curves with gnuplot."""

import os
import subprocess


def draw(folder, name, title, x, y, curves, logarithmic):
    """Writes `name`.svg if a folder is given.

    - Parameter curves: the points of each curve, by name.
    """
    if folder is None:
        return
    os.makedirs(folder, exist_ok=True)
    script = [
        "set terminal svg noenhanced size 720,440 font 'sans-serif,13' background '#ffffff'",
        f'set output "{os.path.join(folder, name)}.svg"',
        f'set title "{title}"', f'set xlabel "{x}"', f'set ylabel "{y}"',
        "set key left top Left reverse", "set grid", "set encoding utf8",
        "set logscale xy" if logarithmic else "set yrange [0:]",
    ]
    for number, points in enumerate(curves.values()):
        script += [f"$data{number} << END", *(f"{a} {b}" for a, b in points), "END"]
    script.append("plot " + ", ".join(
        f'$data{number} with linespoints linewidth 2 pointtype 7 title "{curve}"'
        for number, curve in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)
