"""Measures how costs grow with subscribers, connections and line length."""

import os

import plots
import programs
import workloads
from tables import number, show, slope

SUBSCRIBERS = (1, 10, 100, 1_000, 10_000)
CONNECTIONS = (1, 10, 100, 1_000)
SATELLITES = (0, 8, 16, 32, 64)


def measure(folder, clients, folder_of_plots):
    path, _, _ = workloads.write(folder, "growth.jsonl", workloads.positions(1_000))
    subscribers(path, folder_of_plots)
    connections(path, folder_of_plots)
    line_length(folder, clients, folder_of_plots)


def subscribers(path, folder_of_plots):
    skip, count = 10, 40
    points, rows = [], []
    for number_of_them in SUBSCRIBERS:
        client = programs.ours("fan-out", "")
        client.command.append(str(number_of_them))
        run, _ = programs.run(
            client, path, "--rate", 20, "--count", skip + count,
            environment={"PERF_SKIP": str(skip), "PERF_UNTIL": str(skip + count)})
        fix = run["cpu"] / run["counted"] * 1e6
        points.append((number_of_them, fix))
        rows.append([
            number_of_them, number(fix, 1), number(fix / number_of_them),
            number(run["each"], 0) if number_of_them >= 100 else "-", number(run["dropped"], 0)])
    show("Subscribers of one manager, 20 fixes a second",
         ["subscribers", "CPU us/fix", "us/delivery", "bytes each", "dropped"], rows)
    steep = slope(points[1:])
    print(f"slope: {steep:.2f} us per delivery; the last step of ten times as many costs "
          f"{points[-1][1] / points[-2][1]:.1f} times as much")
    plots.draw(
        folder_of_plots, "subscribers", "CPU per fix against subscribers", "subscribers",
        "CPU per fix, µs", {f"manager.updates(options), {steep:.2f} µs per delivery": points},
        logarithmic=True)


def connections(path, folder_of_plots):
    rate, count = 5, 15
    curves, rows = {}, []
    for mode, title in (("runs", "GPSDBackend.run"), ("connections", "managers, subscribed")):
        points = []
        for number_of_them in CONNECTIONS:
            client = programs.ours(mode, "")
            client.command.append(str(number_of_them))
            run, _ = programs.run(
                client, path, "--rate", rate, "--count", count, "--clients", number_of_them)
            fix = run["cpu"] / run["counted"] * 1e6
            points.append((number_of_them, fix * rate * number_of_them))
            rows.append([
                title, number_of_them, number(fix, 1), number(fix * rate * number_of_them / 1e4, 1),
                number(run["each"], 0) if number_of_them >= 100 else "-",
                number(run["threads"], 0), number(run["ours"], 0)])
        curves[title] = points
    for number_of_them in CONNECTIONS[2:]:
        client = programs.Client("libgps-connections", [
            os.path.join(programs.PROGRAMS, "libgps-connections"), str(number_of_them)], "")
        run, _ = programs.run(
            client, path, "--rate", rate, "--count", count, "--clients", number_of_them)
        rows.append(["libgps", number_of_them, "-", "-", number(run["bytes"], 0), "-", "-"])
    show(f"Connections of one process, {rate} fixes per second each",
         ["", "connections", "CPU us/fix", "% of a core", "bytes each", "threads", "ours"], rows)
    named = {}
    for title, points in curves.items():
        steep = slope(points)
        print(f"slope: {steep:.0f} us per second each; the last step of ten times as many costs "
              f"{points[-1][1] / points[-2][1]:.1f} times as much, {title}")
        named[f"{title}, {steep:.0f} µs per second each"] = points
    plots.draw(
        folder_of_plots, "connections", f"CPU against connections, {rate} fixes per second each",
        "connections", "CPU, µs a second", named, logarithmic=True)


def line_length(folder, clients, folder_of_plots):
    clients = [client for client in clients if client.name in ("values", "events")]
    curves = {client.title: [] for client in [*clients, programs.LIBGPS]}
    rows = []
    for satellites in SATELLITES:
        count = 40_000 // (satellites // 8 + 1)
        path, lines, size = workloads.write(
            folder, f"sky{satellites}.jsonl", workloads.skies(count, satellites))
        row = [satellites, number(size, 0)]
        for client in [*clients, programs.LIBGPS]:
            # The runs are short; the minimum is the least disturbed one.
            cpu = min(programs.run(client, path)[0]["cpu"] for _ in range(5)) / lines * 1e6
            curves[client.title].append((size, cpu))
            row.append(number(cpu))
        rows.append(row)
    show("CPU per SKY line against its length, us",
         ["satellites", "bytes", *curves], rows)
    named = {}
    for title, points in curves.items():
        steep = slope(points) * 1e3
        print(f"slope: {steep:.2f} ns per byte, {title}")
        named[f"{title}, {steep:.1f} ns per byte"] = points
    plots.draw(
        folder_of_plots, "line-length", "CPU per line against its length", "bytes a line",
        "CPU per line, µs", named, logarithmic=False)
