"""From the server's write to the loop's body, by the clock of both."""

import programs
import workloads
from tables import median, number, show

NAMES = ("events", "updates", "options", "executor")
# Fixes left out at the beginning, by rate, and seconds a run.
RATES = {10: (5, 10), 1_000: (500, 3), 20_000: (10_000, 2)}


def measure(folder, rounds, clients):
    clients = [client for client in clients if client.name in NAMES]
    path, _, _ = workloads.write(folder, "stamped.jsonl", workloads.positions(1_000))
    for rate, (skip, seconds) in RATES.items():
        options = ["--stamp", "--rate", rate, "--count", skip + rate * seconds]
        environment = {"PERF_LATENCY": "1", "PERF_SKIP": str(skip)}
        pairs = {client.name: [] for client in clients}
        for _ in range(rounds if rate > 10 else 1):
            for client in clients:
                pairs[client.name].append((
                    programs.run(client, path, *options, environment=environment)[0],
                    programs.run(programs.LIBGPS, path, *options, environment=environment)[0]))
        rows = []
        for client in clients:
            mine, theirs = zip(*pairs[client.name])
            ratio = lambda key: median(a[key] / b[key] for a, b in pairs[client.name])
            rows.append([
                client.title, *figures(mine), number(ratio("p50")), number(ratio("p99"))])
        rows.append([programs.LIBGPS.title, *figures(
            [run for runs in pairs.values() for _, run in runs]), "1", "1"])
        show(f"Latency at {rate} fixes a second, us",
             ["", "p50", "p99", "p99.9", "max", "CPU us/fix", "switches/fix", "p50 ratio",
              "p99 ratio"], rows)


def figures(runs):
    middle = lambda key: median(run[key] for run in runs)
    each = lambda key, scale: median(run[key] * scale / run["counted"] for run in runs)
    return [
        *(number(middle(key), 0) for key in ("p50", "p99", "p999", "max")),
        number(each("cpu", 1e6), 1), number(each("nvcsw", 1))]
