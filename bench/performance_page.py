#!/usr/bin/env python3
"""Writes docs/performance.md, its picture and the table of README.md from stored results; --check compares instead.

    bench/performance_page.py            write
    bench/performance_page.py --check    exit 1 and name what differs from the stored results

The results are JSON documents of `heddle bench` in bench/results/.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import sys

from measure import geometric_mean
from picture import opening

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
GPU_RUN = RESULTS / "h200-auto.json"
CPU_RUNS = {  # with what the page says of each
    RESULTS / "cpu-auto.json": "Measured before commit bb8295c, which is about the small matrices below ([notes](notebook/2026-11-19-cpu.md)).",
    RESULTS / "cpu2-auto.json": "",
}
WORDS = {"f32": "float", "f64": "double"}
TIMES = {"cold": "cold_seconds", "warm": "seconds"}
NAMES = {"cusparse": "cuSPARSE", "eigen": "Eigen", "mkl": "MKL", "petsc": "PETSc", "graphblas": "GraphBLAS", "openmp": "a loop with OpenMP"}


class Case:
    """One matrix in one precision: the plan that Heddle chose and the fastest peer."""

    def __init__(self, matrix):
        self.name, self.precision, self.kind = matrix["name"], matrix["precision"], matrix["class"]
        self.is_file = not matrix["source"].startswith("gen:")
        self.entries, self.plan = matrix["nnz"], matrix["chosen"]
        timed = [r for r in matrix["results"] if r["status"] == "ok"]
        ours = next(r for r in timed if r["plan"] == matrix["chosen"])
        self.bytes, self.ours = ours["bytes"], {t: ours[key] for t, key in TIMES.items()}
        self.peer = {t: min((r[key], r["peer"]) for r in timed if r["peer"]) for t, key in TIMES.items()}
        self.bound = matrix["bound"]["cold_seconds"]
        self.compressed = "values=" in self.plan and "values=raw" not in self.plan

    def ratio(self, temperature):
        return self.peer[temperature][0] / self.ours[temperature]

    def share(self):
        return self.bound / self.ours["cold"]

    def size(self, cache_bytes):
        if self.entries < 100_000:
            return "tiny: fewer than 100,000 entries"
        return "in the L2 cache" if self.bytes < cache_bytes else "beyond the L2 cache"


def listed(words):
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def origin(cases):
    kinds = {c.is_file for c in cases}
    return "files" if kinds == {True} else "generated matrices" if kinds == {False} else "files and generated matrices"


def made_by(document):
    """What else the document says of the programs that measured; older ones say nothing."""
    told = document.get("provenance") or {}
    names = (("commit", "commit"), ("compiler", "compiler"), ("cuda_toolkit", "CUDA toolkit"), ("driver", "driver"))
    return "".join(f", {words} {told[key]}" for key, words in names if told.get(key))


class Run:
    def __init__(self, path, note=""):
        document = json.loads(path.read_text(encoding="utf-8"))
        self.path, self.device, self.date = path.relative_to(ROOT), document["device"]["name"], document["date"]
        self.machine, self.note, self.libraries = document["machine"], note, document["peer_versions"]
        self.peers = listed(f"{NAMES.get(name, name)} {version}" for name, version in sorted(document["peer_versions"].items()))
        # One library has several algorithms on a GPU; on a CPU it is one product.
        alone = len(self.libraries) == 1 and document["device"]["kind"] == "cpu"
        self.rival = self.peers if alone else f"the best of {self.peers}"
        # In the narrow table of the README many libraries are a number, and named below it.
        self.many = len(self.libraries) > 2
        self.short_rival = f"the best of {len(self.libraries)} libraries" if self.many else self.rival
        self.made_by = made_by(document)
        self.cases = [Case(m) for m in document["matrices"] if m["results"]]

    def of(self, precision):
        return [c for c in self.cases if c.precision == precision]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def two(value):
    return f"{value:.2f}"


def mean_and_worst(cases, temperature):
    worst = min(cases, key=lambda c: c.ratio(temperature))
    return [two(geometric_mean(c.ratio(temperature) for c in cases)),
            two(statistics.median(c.ratio(temperature) for c in cases)),
            f"{worst.ratio(temperature):.2f} ({short(worst.name)})"]


def against_peers(run):
    rows = []
    for precision in WORDS:
        for label, chosen in (("files", True), ("generated", False)):
            cases = [c for c in run.of(precision) if c.is_file == chosen]
            for temperature in TIMES if cases else ():
                rows.append([f"{len(cases)} {label}", WORDS[precision], temperature] + mean_and_worst(cases, temperature))
    return table(["matrices", "precision", "caches", "geometric mean", "median", "worst"], rows)


def groups_by_size(run):
    """(size, precision, cases), small ones first."""
    cache = run.machine["cache_bytes"]
    for size in sorted({c.size(cache) for c in run.cases}, key=lambda size: "tib".index(size[0])):
        for precision in WORDS:
            cases = [c for c in run.of(precision) if c.size(cache) == size]
            if cases:
                yield size, precision, cases


def by_size(run):
    rows = [[size, WORDS[precision], str(len(cases))] + [two(geometric_mean(c.ratio(t) for c in cases)) for t in TIMES]
            for size, precision, cases in groups_by_size(run)]
    return table(["size", "precision", "matrices", "cold", "warm"], rows)


def large(cases):
    return [c for c in cases if c.entries >= 1_000_000]


def whole(cases):
    return [c for c in cases if not c.compressed]


def percent(share):
    return f"{100 * share:.0f} %"


def shares_of(cases):
    least = min(cases, key=Case.share)
    return [str(len(cases)), percent(statistics.median(c.share() for c in cases)), f"{percent(least.share())} ({least.name})"]


def shares_by_class(run):
    rows = []
    for kind in sorted({c.kind for c in large(run.cases)}):
        for precision in WORDS:
            cases = [c for c in large(run.of(precision)) if c.kind == kind]
            if cases:
                rows.append([kind, WORDS[precision]] + shares_of(cases))
    return table(["class", "precision", "matrices", "median share", "least"], rows)


def shares_by_size(run):
    return table(["size", "precision", "matrices", "median share", "least"],
                 [[size, WORDS[precision]] + shares_of(cases) for size, precision, cases in groups_by_size(run)])


def within(cases, times):
    return percent(sum(c.share() >= 1 / times for c in cases) / len(cases))


def lowest(run, count=12):
    pairs = sorted(((c.ratio(t), t, c) for c in run.cases for t in TIMES), key=lambda row: row[0])
    return table(["matrix", "precision", "caches", "ratio", "fastest of theirs"],
                 [[c.name, WORDS[c.precision], t, f"{ratio:.2f}", c.peer[t][1].replace("cusparse:", "")]
                  for ratio, t, c in pairs[:count]])


def lost(run):
    return f"{sum(c.ratio(t) < 0.97 for c in run.cases for t in TIMES)} of {2 * len(run.cases)}"


def losses(run):
    return f"{lost(run)} pairs are slower than the best of theirs by more than 3 %."


def processor(run):
    """Without marks and clock: "Xeon Platinum 8481C"."""
    return re.sub(r"\(R\)|\(TM\)|Intel|AMD|CPU|@.*| +(?= )", "", run.device).strip()


def cores(cpu):
    return f"{cpu.machine['threads']} threads of {processor(cpu)}"


def of_cpu(cpu):
    alone = " PETSc has one." if "petsc" in cpu.libraries else ""
    note = "\n" + cpu.note if cpu.note else ""
    return f"""## On a CPU, {cpu.machine['threads']} threads

**Machine and versions.** {cores(cpu)}, {cpu.date}{cpu.made_by}. Memory read {cpu.machine['read_gbps']:.0f} GB/s in this run.{note}
**Theirs.** The fastest for each matrix of the libraries that were there: {cpu.peers}. With as many threads or with one.{alone}
**Times.** Medians. *Warm*: products back to back. *Cold*: the caches are emptied before each product.

{against_peers(cpu)}

{losses(cpu)}

{lowest(cpu)}

"""


def page(run, cpus):
    sources = "stored results of the source tree, " + listed([f"`{r.path}`" for r in [run, *cpus]])
    doubles = large(run.of("f64"))
    return f"""# Performance

This page is written by `bench/performance_page.py` from {sources}; a test compares them.
Older figures, experiments and what failed are in the [notebook](notebook/2026-11-19-performance.md).

**Machine and versions.** {run.device}, {run.date}, {run.peers}{run.made_by}. The device read {run.machine['read_gbps'] / 1000:.2f} TB/s in this run.
**Ours.** The plan that `optimize` chooses from the structure alone.
**Theirs.** The fastest of all cuSPARSE algorithms for each matrix, precision and cache state: `csr` 1 and 2, `coo` 1 and 2, `sell`, `bsr`, and the planned products `op` 1 and 2.
**Times.** Medians. *Warm*: products back to back in a CUDA graph. *Cold*: the L2 cache is emptied before each product.
**Ratio.** Time of cuSPARSE over time of Heddle. Above 1 Heddle is faster.

## Against {run.peers}

{against_peers(run)}

{losses(run)}

## By size

{by_size(run)}

## Share of the physical bound

The bound is the largest of three times of this machine: a launch; moving the values (in as few bytes as lose nothing), x and y once; reading the
sectors of x that neighbouring rows do not share, as fast as single elements of an array like x can be read ([definition](bench.md#what-is-measured)). Column indices
are not counted, since some formats do without them. Cold caches. Those from 1 M entries on are {origin(large(run.cases))}.

In double, from 1 M entries on, the median share is {percent(statistics.median(c.share() for c in doubles))}. Within 1.15 of the bound are {within(doubles, 1.15)} of the matrices, within 1.5 {within(doubles, 1.5)}.

By class, from 1 M entries on:

{shares_by_class(run)}

By size:

{shares_by_size(run)}

## Lowest ratios

{lowest(run)}

{"".join(map(of_cpu, cpus))}## Repeat it

    heddle bench MATRICES --device gpu --precision both --cold --formats auto --json=run.json
    heddle bench MATRICES --device cpu --precision both --cold --formats auto --json=run.json
    bench/peers_table.py run.json

`bench/results/` has the raw figures. [bench.md](bench.md) explains what is measured.
"""


# ------------------------------------------------------------------------------------------------ picture

def short(name):
    """A generator's text without the sizes that say nothing here: at most 24 letters."""
    name = name.replace(",coefficients=varying", " varying").replace("stencil", "grid ")
    name = re.sub(r",(cols|per_row|width|edges|ny|nz)=\d+", "", name)
    name = re.sub(r",(rows|nx|scale)=", " ", name)
    return re.sub(r"(\d)000000\b", r"\1M", re.sub(r"(\d)000\b", r"\1k", name).replace("000k", "M"))[:24]


def picture(run):
    cases = sorted(large(run.of("f64")), key=lambda c: c.ours["cold"] / c.bound)
    width, left, right, row, top = 720, 275, 690, 29, 112
    height = top + row * len(cases) + 34
    most = max(max(c.ours["cold"], c.peer["cold"][0]) / c.bound for c in cases)

    def place(value):
        return left + (right - left) * math.log(max(value, 1)) / math.log(most * 1.05)

    parts = [opening(width, height, "Time over the physical bound, Heddle and cuSPARSE"),
             '<text x="8" y="26" font-weight="bold">Time over the physical bound (1 = bound)</text>',
             f'<text x="8" y="54" class="quiet">{len(cases)} {origin(cases)}, {run.device.replace("NVIDIA ", "")}, double, cold, {run.date}</text>',
             f'<circle cx="{left + 8}" cy="76" r="7" class="ours"/><text x="{left + 21}" y="82">Heddle</text>',
             f'<circle cx="{left + 113}" cy="76" r="6" class="theirs"/><text x="{left + 126}" y="82">best of {run.peers}</text>']
    for tick in (1, 1.5, 2, 3, 5, 8, 12, 20):
        if tick < most * 1.05:
            x = place(tick)
            parts.append(f'<line x1="{x:.0f}" y1="{top - 14}" x2="{x:.0f}" y2="{height - 26}" class="grid"/>'
                         f'<text x="{x:.0f}" y="{height - 8}" text-anchor="middle" class="quiet">{tick:g}</text>')
    for i, case in enumerate(cases):
        y = top + row * i
        ours, theirs = place(case.ours["cold"] / case.bound), place(case.peer["cold"][0] / case.bound)
        parts.append(f'<text x="{left - 10}" y="{y + 6}" text-anchor="end">{short(case.name)}</text>'
                     f'<line x1="{ours:.0f}" y1="{y}" x2="{theirs:.0f}" y2="{y}" class="span"/>'
                     f'<circle cx="{theirs:.0f}" cy="{y}" r="6" class="theirs"/><circle cx="{ours:.0f}" cy="{y}" r="7" class="ours"/>')
    return "\n".join(parts) + "\n</svg>\n"


# ------------------------------------------------------------------------------------------------ README

BEGIN, END = "<!-- written by bench/performance_page.py -->", "<!-- end -->"


def readme_table(run, cpus):
    gpu = f"{run.device.replace('NVIDIA ', '')}, {run.date}"
    cases = [c for c in run.of("f64") if c.is_file]
    raw = whole(run.of("f64"))
    rows = []
    for label, chosen, temperature in (("files, cold caches", cases, "cold"), ("files, back to back in a CUDA graph", cases, "warm"),
                                       (f"{origin(raw)}, cold, values stored whole", raw, "cold")):
        mean, median, worst = mean_and_worst(chosen, temperature)
        rows.append([f"over {run.rival}: {len(chosen)} {label}", median, worst, gpu])
    share = large(run.of("f64"))
    least = min(share, key=Case.share)
    rows.append([f"share of the physical bound, cold: {len(share)} {origin(share)} from 1 M entries on",
                 percent(statistics.median(c.share() for c in share)), f"{percent(least.share())} ({short(least.name)})", gpu])
    for cpu in cpus:
        rows += rows_of_cpu(cpu)
    told = f"More than 3 % slower: {lost(run)} products on the {gpu.split(',')[0]}."
    if cpus:
        losses_there = listed(f"{lost(c)} with {c.machine['threads']} threads" for c in cpus)
        told += f" On CPUs: {losses_there}."
    told += " [All of them](docs/performance.md#lowest-ratios)."
    told += "".join(f"\nThe libraries on {c.machine['threads']} threads are {c.peers}." for c in cpus if c.many)
    smaller = len(cases) - len(whole(cases))
    told += f"\nRepeated values are compressed without loss, here in {smaller} of {len(cases)} files."
    told += f" Without those files the median, cold, is {mean_and_worst(whole(cases), 'cold')[1]}."
    return table(["double", "median", "worst", "on"], rows) + "\n\n" + told


def rows_of_cpu(cpu):
    here, rows = f"{cores(cpu)}, {cpu.date}" + (", before commit bb8295c" if cpu.note else ""), []
    for label, temperature in (("cold caches", "cold"), ("back to back", "warm")):
        chosen = [c for c in cpu.of("f64") if c.is_file]
        mean, median, worst = mean_and_worst(chosen, temperature)
        rows.append([f"over {cpu.short_rival}: {len(chosen)} files, {label}", median, worst, here])
    return rows


def with_table(readme, text):
    before, rest = readme.split(BEGIN)
    return before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    run, cpus = Run(GPU_RUN), [Run(path, note) for path, note in CPU_RUNS.items() if path.exists()]
    readme = ROOT / "README.md"
    wanted = {ROOT / "docs/performance.md": page(run, cpus), ROOT / "docs/performance-h200.svg": picture(run),
              readme: with_table(readme.read_text(encoding="utf-8"), readme_table(run, cpus))}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if not options.check:
        for path in stale:
            path.write_text(wanted[path], encoding="utf-8")
    elif stale:
        sys.exit("differs from the stored results, run bench/performance_page.py: " +
                 ", ".join(str(path.relative_to(ROOT)) for path in stale))


if __name__ == "__main__":
    main()
