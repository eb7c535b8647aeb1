"""What selection_bench measured, and what the model says of it: the common ground of fit_model.py and fit_building.py."""
import argparse
import copy
import functools
import gzip
import json
import os
import re
import subprocess
import sys

COSTS = "src/plan/costs"
TABLES = {"gpu": "h200", "cpu": "xeon", "cpu_loading": "xeon_slow_gathers", "gpu_building": "h200_building", "cpu_building": "xeon_building"}


def cost_key(plan):
    """As in src/plan/costs/costs.cpp: the format, and its layout where it has several; symmetric values are a kernel of their own."""
    if " values=symmetric" in plan:
        return plan.split()[0] + ":symmetric"
    layout = re.search(r" layout=(\S+)", plan)
    return plan.split()[0] + (":" + layout[1] if layout else "")


class Model:
    """The formula, where it stands: src/plan/predict/model.cpp, asked by way of `heddle predict --serve`."""

    def __init__(self):
        command = os.environ.get("HEDDLE_COMMAND", "build/bin/heddle")
        try:
            self.served = subprocess.Popen([command, "predict", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            sys.exit(f"{command}: {error.strerror}; build it (./dev build), or say where it is: HEDDLE_COMMAND=...")

    def answer(self, question):
        self.served.stdin.write(json.dumps(question) + "\n")
        self.served.stdin.flush()
        line = self.served.stdout.readline()
        if not line:
            sys.exit("heddle predict --serve ended; what it said is above")
        return json.loads(line)


model = functools.cache(Model)


class Cases:
    """All cases of one format and precision: asked about together, since a cost is tried on all of them."""

    def __init__(self):
        self.cases, self.sent, self.group = [], 0, None
        self.cost, self.seconds = None, []

    def add(self, machine, value_bytes, workload):
        self.cases.append({"machine": machine, "value_bytes": value_bytes, "workload": workload})
        return len(self.cases) - 1

    def predict(self, number, cost):
        if self.sent < len(self.cases):
            self.sent, self.cost = len(self.cases), None
            self.group = model().answer({"cases": self.cases})["group"]
        if self.cost != cost:
            self.cost = list(cost)
            self.seconds = model().answer({"group": self.group, "costs": dict(zip(FIELDS, cost))})["seconds"]
        return self.seconds[number]


FIELDS = ["start_us", "stream", "miss", "sector", "place_f32_ps", "place_f64_ps", "team_ns", "step_ns", "far_step_ns"]
of_format = {}


class Case:
    """One plan on one matrix."""

    def __init__(self, plan, machine, precision, weight=1.0):
        self.name, self.format = plan["plan"], cost_key(plan["plan"])
        self.seconds, self.weight = plan["seconds"], weight
        self.together = of_format.setdefault(self.format, Cases())
        self.number = self.together.add(machine, int(precision[1:]) // 8, plan["workload"])

    def predict(self, cost):
        return self.together.predict(self.number, cost)


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
    for line in lines:
        cases_of(line)  # all of them, before the model is asked about the first
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


known_cases = {}


def cases_of(line):
    """The same ones for the same line."""
    if id(line) not in known_cases:
        best = min(p["seconds"] for p in line["plans"])
        known_cases[id(line)] = line, [Case(p, line["machine"], line["precision"], min(1.0, (best / p["seconds"]) ** 1.5 * 1.3))
                                       for p in line["plans"]]
    return [copy.copy(case) for case in known_cases[id(line)][1]]


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
