#!/usr/bin/env python3
"""Our plans against the best peer on every matrix, as a Markdown table, from the JSON of `heddle bench`.

    heddle bench M... --device gpu --cold --json=run.json
    bench/peers_table.py run.json [more.json ...]

or measured here, in both precisions, on the generated classes or on the matrices given:

    bench/peers_table.py --run build/bin/heddle --device gpu [M ...]

The best peer and the best plan are those of each temperature; where they differ, the names are "warm / cold".
"""
import argparse
import json

from formats_table import CLASSES
from measure import geometric_mean, micro, run_bench

TEMPERATURES = ("seconds", "cold_seconds")


def fastest(results, key):
    timed = [r for r in results if r["status"] == "ok" and r[key]]
    return min(timed, key=lambda r: r[key], default=None)


def best(results):
    """[warm, cold]: the fastest result at each temperature, or None."""
    return [fastest(results, key) for key in TEMPERATURES]


def names(pair):
    found = [(r["peer"] or r["plan"]).replace("cusparse:", "") if r else "-" for r in pair]
    return found[0] if pair[1] is None or found[0] == found[1] else " / ".join(found)


def times(pair):
    return [r[key] if r else None for r, key in zip(pair, TEMPERATURES)]


def ratios(peer, ours):
    return [p / o if p and o else None for p, o in zip(times(peer), times(ours))]


def both(values, show):
    return " / ".join("-" if v is None else show(v) for v in values)


class Row:
    def __init__(self, label, matrix):
        results = matrix["results"]
        self.label, self.precision = label, results[0]["precision"]
        self.peer = best([r for r in results if r["peer"]])
        self.plan = best([r for r in results if not r["peer"]])
        self.chosen = best([r for r in results if r["plan"] == matrix["chosen"]])
        self.chosen_name = matrix["chosen"]
        self.gains = {"chosen": ratios(self.peer, self.chosen), "best": ratios(self.peer, self.plan)}

    def text(self):
        cells = [self.label, self.precision, names(self.peer), both(times(self.peer), micro),
                 self.chosen_name, both(times(self.chosen), micro), names(self.plan), both(times(self.plan), micro)]
        cells += [both(self.gains[who], "{:.2f}".format) for who in ("chosen", "best")]
        return "| " + " | ".join(cells) + " |"


def summary(rows, precision):
    for who in ("chosen", "best"):
        parts = []
        for i, name in enumerate(("warm", "cold")):
            gains = [(row.gains[who][i], row.label) for row in rows if row.gains[who][i]]
            if gains:
                parts.append(f"{name} {geometric_mean(g for g, _ in gains):.2f} (worst {min(gains)[0]:.2f}, {min(gains)[1]})")
        if parts:
            print(f"* {precision}, best peer / {who} plan, geometric mean over {len(rows)} matrices: " + "; ".join(parts))


def documents_of(options):
    """(label, matrix of the JSON document), as they become known."""
    if not options.run:
        for path in options.inputs:
            with open(path, encoding="utf-8") as file:
                yield from ((matrix["name"], matrix) for matrix in json.load(file)["matrices"])
        return
    for precision in options.precision or ["f32", "f64"]:
        for label, matrix in [(m, m) for m in options.inputs] or CLASSES:
            document = run_bench(options.run, matrix, ["--device", options.device, "--precision", precision, "--cold",
                                                       "--seconds", str(options.seconds)])
            yield label, document["matrices"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="*", help="JSON documents; with --run matrices")
    parser.add_argument("--run", metavar="HEDDLE", help="measure with this command")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--precision", choices=["f32", "f64"], action="append")
    options = parser.parse_args()
    if not options.run and not options.inputs:
        parser.error("give JSON documents of `heddle bench`, or --run build/bin/heddle")
    print("| matrix | precision | best peer | us warm / cold | chosen plan | us | best plan | us | peer / chosen | peer / best |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    rows = []
    for label, matrix in documents_of(options):
        if matrix["results"]:
            rows.append(Row(label, matrix))
            print(rows[-1].text(), flush=True)
    print()
    for precision in ("f32", "f64"):
        summary([row for row in rows if row.precision == precision], precision)


if __name__ == "__main__":
    main()
