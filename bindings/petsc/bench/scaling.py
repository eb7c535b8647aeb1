#!/usr/bin/env python3
"""How products and iterations of cg would go on thousands of ranks: halos counted by petsc_halo_bench, and a model of
machine and network. Prints the tables of docs/petsc-scaling.md and writes its picture.

    petsc_halo_bench > halos.csv
    scaling.py halos.csv docs/petsc-scaling.svg
"""
import copy
import csv
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench"))
from picture import opening

# Of a rank: bytes a second of its memory and of its share of the network, seconds until a message begins to arrive,
# seconds for each message more, least seconds of a product.
MACHINES = {
    "CPU": {"memory": 50e9, "network": 3.1e9, "latency": 2e-6, "message": 0.4e-6, "start": 1e-6},
    "GPU": {"memory": 3.7e12, "network": 50e9, "latency": 8e-6, "message": 1e-6, "start": 5e-6},
}
ENTRY, ROW, NUMBER = 12, 20, 8  # bytes: csr reads a value and a column for each entry; a row reads ptr, x and writes y
CG_VECTORS = 11 * NUMBER  # bytes a row that an iteration of cg moves besides its product
# A part of n rows has a surface of n to this power: cubes, squares.
SURFACE = {"gen:stencil3d7": 2 / 3, "gen:stencil2d5": 1 / 2, "gen:fem": 2 / 3}
ROLES = {"gen:stencil3d7": "a", "gen:stencil2d5": "b", "gen:fem": "c"}
WIDTH, HEIGHT, LEFT, TOP = 430, 268, 58, 40  # of a panel


class Cut:
    """The busiest rank: most of each of what the ranks have."""

    def __init__(self, line):
        self.name, self.how = line["matrix"], line["cut"]
        self.parts = int(line["parts"])
        self.total_rows, self.total_entries = int(line["rows"]), int(line["entries"])
        self.rows, self.entries = int(line["most_rows"]), int(line["most_entries"])
        self.outside, self.halo = int(line["most_off_diagonal"]), int(line["most_halo"])
        self.mean_halo, self.neighbours = float(line["mean_halo"]), int(line["most_neighbours"])


def changed(cut, **values):
    other = copy.copy(cut)
    vars(other).update(values)
    return other


def alone(cut, rows, entries):
    return changed(cut, parts=1, rows=rows, entries=entries, outside=0, halo=0, mean_halo=0, neighbours=0)


def whole(cut):
    return alone(cut, cut.total_rows, cut.total_entries)


def grown(cut, rows, parts):
    """Parts of another size with the same shape."""
    size = rows / cut.rows
    surface = size ** SURFACE[cut.name.split(",")[0]]
    return changed(cut, parts=parts, rows=rows, entries=cut.entries * size, outside=cut.outside * surface, halo=cut.halo * surface)


def product(cut, machine, local=1.0):
    """PETSc's: x travels while the diagonal block multiplies, then the off-diagonal block. `local`: how many times
    faster than csr a rank multiplies."""
    inside = ((cut.entries - cut.outside) * ENTRY + cut.rows * ROW) / machine["memory"] / local + machine["start"]
    travel = 0
    if cut.halo:
        travel = machine["latency"] + cut.neighbours * machine["message"] + cut.halo * NUMBER / machine["network"]
    after = cut.outside * (ENTRY + NUMBER) / machine["memory"] + (machine["start"] if cut.outside else 0)
    return max(inside, travel) + after


def iteration(cut, machine, local=1.0):
    sums = 2 * math.ceil(math.log2(cut.parts)) * machine["latency"] if cut.parts > 1 else 0
    return product(cut, machine, local) + cut.rows * CG_VECTORS / machine["memory"] + sums


def efficiency(time, cut, machine, local=1.0):
    return time(whole(cut), machine, local) / (cut.parts * time(cut, machine, local))


def print_halos(cuts):
    print("| matrix | ranks | rows of a rank | halo by METIS: most, mean | neighbours | halo by runs of rows |")
    print("|---|---|---|---|---|---|")
    plain = {(cut.name, cut.parts): cut for cut in cuts if cut.how == "rows"}
    for cut in (cut for cut in cuts if cut.how == "metis"):
        other = plain[cut.name, cut.parts]
        print(f"| `{cut.name}` | {cut.parts} | {cut.rows:,} | {cut.halo:,}, {cut.mean_halo:,.0f} | {cut.neighbours} | {other.halo:,} |")


def print_strong(cuts, machine):
    print("| matrix | ranks | product us: csr, local twice as fast | cg us: the same | efficiency of csr: product, cg |")
    print("|---|---|---|---|---|")
    for cut in (cut for cut in cuts if cut.how == "metis"):
        times = [1e6 * time(cut, machine, local) for time in (product, iteration) for local in (1, 2)]
        shares = [100 * efficiency(time, cut, machine) for time in (product, iteration)]
        print(f"| `{cut.name}` | {cut.parts} | {times[0]:.0f}, {times[1]:.0f} | {times[2]:.0f}, {times[3]:.0f} | {shares[0]:.0f} %, {shares[1]:.0f} % |")


def print_weak(cuts, sizes):
    """From the parts of the cut into 64: each has neighbours on all sides already."""
    print("| ranks | matrix | rows of a rank | halo | product us: csr, local twice as fast | efficiency of csr: product, cg on 64, 4,096 and 32,768 ranks |")
    print("|---|---|---|---|---|---|")
    for kind, rows in sizes:
        machine = MACHINES[kind]
        for cut in (cut for cut in cuts if cut.how == "metis" and cut.parts == 64):
            busy = grown(cut, rows, 64)
            single = alone(cut, rows, busy.entries)
            times = [1e6 * product(busy, machine, local) for local in (1, 2)]
            shares = [product(single, machine) / product(busy, machine)]
            shares += [iteration(single, machine) / iteration(grown(cut, rows, parts), machine) for parts in (64, 4096, 32768)]
            told = " %, ".join(f"{100 * share:.0f}" for share in shares)
            print(f"| {kind} | `{cut.name}` | {rows:,} | {busy.halo:,.0f} | {times[0]:.0f}, {times[1]:.0f} | {told} % |")


def tables(cuts):
    print_halos(cuts)
    print()
    print_strong(cuts, MACHINES["CPU"])
    print()
    print_weak(cuts, [("CPU", 30_000), ("CPU", 1_000_000), ("GPU", 1_000_000), ("GPU", 8_000_000)])


def place(parts, share, down):
    return LEFT + (WIDTH - LEFT - 20) * math.log2(parts) / 12, down + TOP + (HEIGHT - TOP - 40) * (1 - min(share, 1.2) / 1.2)


def panel(cuts, name, machine, down):
    yield f'<text x="8" y="{down + 22}" font-weight="bold">{name}: efficiency on more ranks; dashes: cg</text>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(1, share, down)
        yield f'<line x1="{x}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}" class="grid"/>'
        yield f'<text x="{x - 6}" y="{y + 4:.1f}" text-anchor="end" class="quiet">{100 * share:.0f} %</text>'
    for parts in (1, 8, 64, 512, 4096):
        x, y = place(parts, 0, down)
        yield f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle" class="quiet">{parts}</text>'
    for matrix in dict.fromkeys(cut.name for cut in cuts):
        mine = [cut for cut in cuts if cut.name == matrix and cut.how == "metis"]
        for time, dashes in ((product, ""), (iteration, ' stroke-dasharray="5 4"')):
            points = [place(1, 1, down)] + [place(cut.parts, efficiency(time, cut, machine), down) for cut in mine]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            yield f'<polyline points="{line}" class="line {ROLES[matrix.split(",")[0]]}"{dashes}/>'


def legend(names, down):
    for i, name in enumerate(names):
        y = down + 20 * i
        yield f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + 24}" y2="{y}" class="line {ROLES[name.split(",")[0]]}"/>'
        yield f'<text x="{LEFT + 32}" y="{y + 4}">{name}</text>'


def picture(cuts, path):
    names = list(dict.fromkeys(cut.name for cut in cuts))
    below = len(MACHINES) * HEIGHT + 16
    lines = [opening(WIDTH, below + 20 * len(names), "Efficiency of products and of cg on more ranks")]
    for i, (name, machine) in enumerate(MACHINES.items()):
        lines += panel(cuts, name, machine, i * HEIGHT)
    lines += legend(names, below)
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n</svg>\n")


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        cuts = [Cut(line) for line in csv.DictReader(lines)]
    tables(cuts)
    if len(sys.argv) > 2:
        picture(cuts, sys.argv[2])


if __name__ == "__main__":
    main()
