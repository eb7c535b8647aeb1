"""What selection_bench measured, and the formula of src/plan/model.hpp: the common ground of fit_model.py and
fit_building.py."""
import argparse
import gzip
import json
import math
import re

COSTS = "src/plan/costs"
TABLES = {"gpu": "h200", "cpu": "xeon", "cpu_loading": "xeon_slow_gathers", "gpu_building": "h200_building", "cpu_building": "xeon_building"}
FITTED_ENTRY_NS, ALONE, CALL_US, FOREIGN_ROW_NS = 0.5, 0.7, 0.1, 2  # of Cost in src/plan/model.hpp
FIRST_CACHE = 48 << 10  # of cpu_misses in src/plan/model.cpp


def rate_at(table, size):
    if size <= table[0][0]:
        return table[0][1]
    for (low, a), (high, b) in zip(table, table[1:]):
        if size <= high:
            share = math.log(size / low) / math.log(high / low)
            return math.exp(math.log(a) * (1 - share) + math.log(b) * share)
    return table[-1][1]


def cost_key(plan):
    """As in src/plan/costs.cpp: the format, and its layout where it has several."""
    layout = re.search(r" layout=(\S+)", plan)
    return plan.split()[0] + (":" + layout[1] if layout else "")


class Case:
    """One plan on one matrix: the parts of its time that no cost changes."""

    def __init__(self, plan, machine, precision, weight=1.0):
        w = plan["workload"]
        self.name, self.format = plan["plan"], cost_key(plan["plan"])
        self.seconds, self.weight, self.double = plan["seconds"], weight, precision == "f64"
        self.cpu, self.near = machine["kind"] == "cpu", w["stream_bytes"] <= 0.8 * machine["cache_bytes"]
        self.on_cpu(w, machine) if self.cpu else self.on_gpu(w, machine)

    def on_gpu(self, w, machine):
        share = 132 / max(1, machine["units"])
        self.launch, self.alone = w["launches"] * machine["repeat_us"] * 1e-6, False
        self.stream = w["stream_bytes"] / rate_at(machine["read"], w["stream_bytes"]) * 1e-9
        self.miss = w["misses"] / rate_at(machine["gather"], max(w["x_bytes"], 1 << 20)) * 1e-9
        self.far_x = w["x_bytes"] > machine["cache_bytes"] / 3
        self.sector = w["sectors"] / rate_at(machine["gather"], 0) * 1e-9
        self.slots, self.teams, self.chain = w["slots"] * 1e-12 * share, w["teams"] * 1e-9 * share, w["chain"] * 1e-9

    def on_cpu(self, w, machine):
        units = max(1, machine["units"])
        busy = busy_cores(w, units)
        idle, share = units / busy, entry_ns(machine, busy) / FITTED_ENTRY_NS / busy * company(busy)
        first_cache = rate_at(machine["gather"], 0)
        self.launch, self.alone = w["launches"] * wake_us(machine, busy) * 1e-6, busy <= 1
        self.stream = w["stream_bytes"] / cpu_read_rate(machine, w["stream_bytes"], busy) * 1e-9
        read = 1 / rate_at(machine["gather"], w["x_bytes"])
        self.miss = cpu_misses(w, machine, busy) * math.sqrt(max(0, read ** 2 - first_cache ** -2)) * 1e-9 * idle
        self.far_x = False
        self.sector = w["sectors"] / first_cache * 1e-9 * idle
        self.slots, self.teams, self.chain = w["slots"] * 1e-12 * share, w["teams"] * 1e-9 * share, w["chain"] * 1e-9 * share
        self.foreign = foreign_rows(w, busy) * FOREIGN_ROW_NS * 1e-9 * share
        self.own = in_own_caches(machine, w["stream_bytes"] / busy)

    def predict(self, cost):
        start, stream, miss, sector, f32, f64, team, step, far = cost
        walk, chain = self.slots * (f64 if self.double else f32) + self.teams * team, self.chain * (step if self.near else far)
        sectors = self.sector * sector
        read, misses = self.stream / stream, self.miss * (1.0 if self.far_x else miss)
        if self.cpu:
            walk += chain + sectors + self.foreign
            both = self.own * (read + walk) + (1 - self.own) * math.hypot(read, walk)
            return (CALL_US * 1e-6 if self.alone else self.launch + start * 1e-6) + math.hypot(misses, both)
        return self.launch + start * 1e-6 + math.hypot(read, misses, sectors, walk, chain)


def busy_cores(w, units):
    pieces = w.get("pieces", 0)
    return min(max(min(w["tasks"], pieces / math.ceil(pieces / units) if pieces else units), 1), units)


def entry_ns(machine, busy):
    """Of a core, while so many work."""
    alone = machine.get("entry_ns", FITTED_ENTRY_NS)
    together = machine.get("entry_all_ns", alone)
    return alone + (together - alone) * (busy - 1) / max(1, machine["units"] - 1)


def company(busy):
    """The costs of a core are those of cores that work together."""
    return ALONE + (1 - ALONE) * min(busy - 1, 1)


def cpu_misses(w, machine, busy):
    swept = w.get("swept_bytes", 0)
    if not swept:
        return w["misses"]
    held = min(1, FIRST_CACHE * entry_ns(machine, 1) / entry_ns(machine, busy) / swept)
    return w["misses"] + held ** 2 * (min(w["swept_misses"], w["misses"]) - w["misses"])


def foreign_rows(w, busy):
    if w.get("foreign_window"):
        return w["foreign_window"] * (busy - 1)
    return w.get("foreign", 0) * (1 - 1 / busy)


def wake_us(machine, busy):
    """Calling so many threads. Files in which that was not measured have the time of an empty job."""
    if busy <= 1:
        return 0
    one = machine.get("wake_us", machine["repeat_us"])
    return one + min(max((busy - 2) / max(1, machine["units"] - 2), 0), 1) * (machine.get("wake_all_us", one) - one)


def cpu_read_rate(machine, size, busy):
    together, core = rate_at(machine["read"], size), machine.get("core_read")
    if not core:
        return together
    alone = busy * rate_at(core, size / busy) * entry_ns(machine, 1) / entry_ns(machine, busy)
    return alone if size < machine["units"] * 131072 else min(alone, together)


def in_own_caches(machine, size):
    core = machine.get("core_read")
    if not core:
        return 0.0
    near, far = rate_at(core, 0), rate_at(core, 16 << 20)
    return min(max((rate_at(core, size) - far) / (near - far), 0.0), 1.0) if near > far else 0.0


def arguments(about):
    """What every program that fits takes; it adds its own."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--device", default="gpu", choices=["gpu", "cpu"])
    parser.add_argument("--loading", action="store_true", help="costs of CPUs whose gathers are slow")
    parser.add_argument("--write", action="store_true", help="put what was fitted into " + COSTS)
    parser.add_argument("--split", action="store_true", help="fit one half of the classes, score the other")
    parser.add_argument("--show", action="store_true", help="name every choice that loses 5 %% or more")
    parser.add_argument("--workloads", help="take the counts from this file, the times from the others")
    return parser


def table_of(options):
    """The costs of products that these arguments ask for."""
    return "cpu_loading" if options.loading else options.device


def measured_lines(options):
    """The lines that these arguments ask for."""
    lines = read(options.files, options.device)
    if options.workloads:
        recount(lines, options.workloads)
    return lines


def lines_of(path):
    """Of a file of selection_bench, which may be compressed."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def read(paths, device):
    """One line per matrix, precision and machine; a time in a later file takes the place of an earlier one."""
    lines = {}
    for path in paths:
        for line in lines_of(path):
            if line["device"] != device:
                continue
            first = lines.setdefault((matrix_name(line), line["precision"], line["machine"]["units"]), line)
            plans = {p["plan"]: p for p in first["plans"] + line["plans"] if p.get("seconds")}
            first["plans"] = list(plans.values())
    return [line for line in lines.values() if line["plans"]]


def keep(lines, path):
    """All of it in one file, as it was read: counts of --workloads, plain names of files."""
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        for line in lines:
            text = json.dumps({**line, "matrix": matrix_name(line)}, separators=(",", ":"))
            file.write((text + "\n").encode())


def matrix_name(line):
    """A file is the same in another folder."""
    return line["matrix"].rsplit("/", 1)[-1]


def same_builders(line, other):
    """Cores share building: its parts are those of a machine."""
    return line["device"] == "gpu" or line["machine"]["units"] == other["machine"]["units"]


def recount(lines, path):
    """The workloads of another run in place of those that the times came with."""
    fresh = {}
    for line in lines_of(path):
        fresh[matrix_name(line), line["precision"]] = line
    for line in lines:
        other = fresh.get((matrix_name(line), line["precision"]))
        if other:
            line["facts"] = other["facts"]
            work = {plan["plan"]: plan for plan in other["plans"]}
            line["plans"] = [plan for plan in line["plans"] if plan["plan"] in work]
            for plan in line["plans"]:
                plan["workload"] = work[plan["plan"]]["workload"]
                if not plan.get("build_parts") or same_builders(line, other):
                    plan["build_parts"] = work[plan["plan"]].get("build_parts")


def cases_of(line):
    best = min(p["seconds"] for p in line["plans"])
    return [Case(p, line["machine"], line["precision"], min(1.0, (best / p["seconds"]) ** 1.5 * 1.3))
            for p in line["plans"]]


def costs_in_source(table):
    """{plan: its costs, in the order of the file} of one table; "building" in the name: of building."""
    return {name: [float(value) for _, value in fields] for name, fields in named_lines(table)}


def named_lines(table):
    with open(file_of(table), encoding="utf-8") as file:
        for line in file:
            key = re.match(r'\{\.key = "([^"]+)", ', line)
            if key:
                yield key[1], re.findall(r"\.(\w+) = ([-+.eE0-9]+)", line)


def file_of(table):
    return f"{COSTS}/{TABLES[table]}.inc"


def write_lines(table, costs):
    """Replaces the lines of these plans; the others stay as they are, and so does the head of the file."""
    with open(file_of(table), encoding="utf-8") as file:
        lines = list(file)
    names = dict(named_lines(table))
    fields = [name for name, _ in next(iter(names.values()))]
    merged = {**costs_in_source(table), **costs}
    head = [line for line in lines if line.startswith("//")]
    with open(file_of(table), "w", encoding="utf-8") as file:
        file.writelines(head)
        for name, cost in merged.items():
            values = ", ".join(f".{field} = {value:.3g}" for field, value in zip(fields, cost))
            file.write(f'{{.key = "{name}", {values}}},\n')
