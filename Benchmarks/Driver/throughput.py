"""CPU time per line at full speed; each run is paired with a run of libgps' loop before it."""

import counts
import programs
import workloads
from tables import median, number, show, spread


def compare(title, path, lines, clients, rounds, extras):
    """- Parameter extras: returns the allocations and instructions per line of a client."""
    pairs = {client.name: [] for client in clients}
    for round in range(rounds + 1):
        for client in clients:
            theirs, _ = programs.run(programs.LIBGPS, path)
            mine, _ = programs.run(client, path)
            if round > 0:  # The first round is a warm-up.
                pairs[client.name].append((mine, theirs))
    rows = []
    for client in clients:
        mine, theirs = zip(*pairs[client.name])
        ratios = [a["cpu"] / b["cpu"] for a, b in pairs[client.name]]
        allocations, instructions = extras(client)
        rows.append([
            client.title,
            number(median(run["cpu"] for run in mine) / lines * 1e6),
            number(median(run["cpu"] for run in theirs) / lines * 1e6),
            number(median(ratios), 3), spread(ratios, 3),
            number(median(run["seconds"] for run in mine) / lines * 1e6),
            number(allocations, 4), number(instructions, 0),
            sums(mine[-1], theirs[-1])])
    allocations, instructions = extras(programs.LIBGPS)
    rows.append([programs.LIBGPS.title, "", number(median(
        run["cpu"] for runs in pairs.values() for _, run in runs) / lines * 1e6), "1", "",
        number(median(run["seconds"] for runs in pairs.values() for _, run in runs) / lines * 1e6),
        number(allocations, 4), number(instructions, 0), ""])
    show(title, ["CPU from the socket", "us/line", "libgps", "ratio", "spread", "wall us/line",
                 "allocations/fix", "instructions/line", "sums"], rows)


def sums(mine, theirs):
    """Whether the checksums of fixes and satellites equal those of libgps; a dash if not read."""
    marks = []
    for name in ("checksum", "skysum"):
        if int(theirs[name], 16) == 0:
            continue
        marks.append(
            "=" if mine[name] == theirs[name] else "-" if int(mine[name], 16) == 0 else "differ")
    return "/".join(marks) + (f" dropped {mine['dropped']:.0f}" if mine.get("dropped") else "")


def measure(folder, lines, rounds, clients, recording=None):
    if recording:
        with open(recording, "rb") as file:
            count = sum(1 for _ in file)
        compare(
            f"{recording}: {count} lines, {rounds} rounds", recording, count, clients, rounds,
            lambda client: (None, None))
        return
    for name, make, count in (
        ("TPV", workloads.positions, lines), ("mix", workloads.mixture, lines // 2)):
        path, count, size = workloads.write(folder, f"{name}.jsonl", make(count))
        short, _, _ = workloads.write(folder, f"{name}.short", make(counts.SHORT))
        long, _, _ = workloads.write(folder, f"{name}.long", make(counts.LONG))

        fixes = int(programs.run(programs.LIBGPS, long)[0]["reports"])

        def extras(client):
            return (
                counts.allocations(client, long, fixes),
                counts.instructions(client, short, long, folder))

        compare(
            f"{name}: {count} lines of {size:.0f} bytes at full speed, medians of {rounds} rounds",
            path, count, clients, rounds, extras)
