#!/usr/bin/env python3
"""What building costs: fits the tables of src/plan/costs to measured times.

    build/bin/selection_bench --device gpu --every 3 --out h200.jsonl      on the machine that is measured
    bench/fit_building.py h200.jsonl                                      anywhere: the table, and how good it was and is
    bench/fit_building.py h200.jsonl --write                              ... and puts it there
    bench/fit_building.py new.jsonl --write --formats csr,weave:          ... of these formats alone (weave: stands for all its layouts), whose building changed
    bench/fit_building.py h200.jsonl --split                              fits one half of the classes, scores the other
    bench/fit_building.py h200.jsonl --show                               names every choice that loses 5 % or more
    bench/fit_building.py a.jsonl b.jsonl --device cpu                    for a CPU, from machines with few and with many cores
    build/bin/selection_bench --features --out features.jsonl             once src/plan/predict/building.cpp counts differently:
    bench/fit_building.py h200.jsonl --workloads features.jsonl           the old times with the new counts

A time is a sum of parts (src/plan/predict/building.hpp): what the benchmark writes as build_parts, times a cost of the format.
A format has a cost per build and per entry, and one for other parts that explain its times: one is added after the
other, as long as each makes the mean error smaller by a twentieth of itself and by half a per cent.
"""
import math
import statistics
import sys

from measured_cases import COSTS, arguments, cases_of, cost_key, costs_in_source, matrix_name, measured_lines, model, table_of, write_lines

PARTS = ["once", "wide", "table", "double", "entry", "of table", "row", "gap", "alone", "partial", "long row", "some long",
         "one thread", "sorted row", "gathered", "pattern", "looked at", "new memory", "memory"]
MOST = [1e4, 1e3, 1e3, 1e3, 100, 50, 300, 60, 100, 10, 2000, 1e3, 100, 500, 300, 2e4, 1e3, 10, 50]  # costs beyond are no explanation
LEAST_TIMES = 10  # of a format: below, its costs stay what they are
ENOUGH = 0.95  # of the error that is left
LEAST_ONCE = {"gpu": 20, "cpu": 1}  # us: launches, and waiting for them


known_beside = {}


def beside_parts(line):
    """What src/plan/predict/building.cpp says of building, in addition to the parts: how slow a core is, and of each plan the way to the device and new memory."""
    if id(line) not in known_beside:
        facts = line["facts"]
        plans = [{"bytes": p["workload"]["bytes"], "by_kernels": bool(p.get("build_there_seconds"))} for p in line["plans"]]
        answer = model().answer({"building": {"machine": line["machine"], "value_bytes": int(line["precision"][1:]) // 8, "rows": facts["rows"],
                                              "nnz": facts["nnz"], "plans": plans}})
        known_beside[id(line)] = line, answer["slowness"], dict(zip((p["plan"] for p in line["plans"]), answer["plans"]))
    return known_beside[id(line)]


def way_seconds(line, plan, there):
    return beside_parts(line)[2][plan["plan"]]["way_there" if there else "way"]


def predict_build(cost, line, plan, there):
    return slowness(line) * sum(c * part for c, part in zip(cost, scaled_parts(line, plan))) + way_seconds(line, plan, there)


def slowness(line):
    """Of a core: the costs are times of one where it is 1."""
    return beside_parts(line)[1]


def scaled_parts(line, plan):
    """What memory takes was measured on the machine itself."""
    parts = plan["build_parts"]
    if len(parts) == len(PARTS) - 1:  # of runs before new memory was counted
        parts = parts[:-1] + [beside_parts(line)[2][plan["plan"]]["new_bytes"]] + parts[-1:]
    return parts[:-1] + [parts[-1] / slowness(line)] if len(parts) == len(PARTS) else parts


def measured_way(line):
    """What the matrix took to the device, by all plans that kernels build: the same for all of them, unlike single times."""
    ways = [p["build_seconds"] - p["build_there_seconds"] for p in line["plans"] if p.get("build_there_seconds")]
    return max(0.0, statistics.median(ways)) if ways else 0.0


def build_seconds(line, plan, there):
    """Measured; None where it was not, or where kernels do not build."""
    if plan.get("build_there_seconds"):
        return plan["build_there_seconds"] + (0 if there else measured_way(line))
    return None if there else plan.get("build_seconds") or None


class Times:
    """All measured times of one format."""

    def __init__(self, least_once):
        self.cases, self.least_once = [], least_once

    def add(self, line, plan):
        if plan.get("build_there_seconds"):
            self.cases.append((scaled_parts(line, plan), 0.0, plan["build_there_seconds"]))
        else:
            self.cases.append((scaled_parts(line, plan), way_seconds(line, plan, False), plan["build_seconds"] / slowness(line)))

    def off(self, cost):
        """Mean error of the logarithm; one that is far off counts like others."""
        used = [(i, c) for i, c in enumerate(cost) if c > 0]
        total = 0.0
        for parts, way, seconds in self.cases:
            guess = way + sum(c * parts[i] for i, c in used)
            total += min(1.5, abs(math.log(max(guess, 1e-9) / seconds)))
        return total / len(self.cases)

    def descend(self, cost):
        """One cost at a time, in steps that shrink."""
        step, here = 0.7, self.off(cost)
        while step > 0.01:
            trials = [[c * factor if i == j else c for j, c in enumerate(cost)]
                      for i in range(len(cost)) if cost[i] > 0 for factor in (math.exp(step), math.exp(-step))]
            trials = [trial for trial in trials if trial[0] >= self.least_once and all(c <= most for c, most in zip(trial, MOST))]
            best = min(trials, key=self.off, default=cost)
            if self.off(best) < here - 1e-9:
                cost, here = best, self.off(best)
            else:
                step *= 0.6
        return cost

    def with_part(self, cost, part):
        """Begun with what would explain a tenth, a half or twice of the middle time."""
        sizes = sorted(parts[part] for parts, _, _ in self.cases if parts[part] > 0)
        if len(sizes) < 2:
            return cost
        typical = statistics.median(seconds for _, _, seconds in self.cases) / sizes[len(sizes) // 2]
        starts = [[min(typical * share, MOST[part]) if i == part else c for i, c in enumerate(cost)] for share in (0.1, 0.5, 2.0)]
        return self.descend(min(starts, key=self.off))

    def fit(self):
        middle = 1e6 * statistics.median(seconds for _, _, seconds in self.cases)
        cost = self.descend([min(max(middle, self.least_once), MOST[0])] + [0.0] * (len(PARTS) - 1))
        cost = self.with_part(cost, PARTS.index("entry"))
        while True:
            here = self.off(cost)
            best = min((self.with_part(cost, part) for part in range(len(PARTS)) if cost[part] == 0), key=self.off, default=cost)
            if self.off(best) > min(ENOUGH * here, here - 0.005):
                return cost
            cost = best


def fit_build(lines, formats=("",)):
    """A cost for every part of every format, or of these; the way to the device is counted apart."""
    times = {}
    for line in lines:
        for p in line["plans"]:
            if p.get("build_seconds") and len(p.get("build_parts", [])) >= len(PARTS) - 1:  # else of another version
                times.setdefault(cost_key(p["plan"]), Times(LEAST_ONCE[line["device"]])).add(line, p)
    asked = lambda name: any(name == f or not f or f.endswith(":") and name.startswith(f) for f in formats)
    times = {name: some for name, some in times.items() if len(some.cases) >= LEAST_TIMES and asked(name)}
    costs = {name: some.fit() for name, some in sorted(times.items())}
    lend_value_costs(costs, times)
    return costs


def lend_value_costs(costs, times):
    """All layouts of weave look at values in the same way: one that was never seen to gets the middle of the others."""
    for part in map(PARTS.index, ("table", "double", "looked at")):
        found = [cost[part] for name, cost in costs.items() if name.startswith("weave:") and cost[part] > 0]
        for name, cost in costs.items():
            if found and name.startswith("weave:") and not any(parts[part] > 0 for parts, _, _ in times[name].cases):
                cost[part] = statistics.median(found)


def build_costs_in_source(device):
    return costs_in_source(device + "_building")


def table_lines(costs):
    return [f'{name:16} {", ".join(f"{part} {cost:.3g}" for part, cost in zip(PARTS, costs[name]) if cost)}' for name in costs]


def write_build(costs, device):
    write_lines(device + "_building", costs)


def report_build(lines, costs, build=None, show=False):
    """Building and n products together, against the best fixed plan of each matrix."""
    device = lines[0]["device"]
    build = build or build_costs_in_source(device)
    for there in (True, False) if device == "gpu" else (False,):
        where = "on the device" if there else "in host memory"
        print(f"{'products':>10} {'within 5 %':>11} {'regret':>8} {'worst':>7}   of build + n * multiply, matrix {where}")
        for n in (1, 10, 100, 10000):
            found = [f for f in (chosen(line, costs, build, n, there) for line in lines) if f]
            regrets = [regret for regret, _ in found]
            if not regrets:
                continue
            mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
            worst = max(found)
            print(f"{n:10} {100 * sum(r <= 1.05 for r in regrets) / len(regrets):10.0f}% {mean:8.3f} {worst[0]:7.2f}   {worst[1]}")
            if show:
                for regret, text in sorted(found, reverse=True):
                    if regret > 1.05:
                        print(f"{'':12}{regret:5.2f}  {text}")
        for n in (10000, 100000):
            regrets = [r for r in (after_trials(measured_plans(line, costs, build, there), n, line["device"]) for line in lines) if r]
            if regrets:
                print(f"{n:10} {100 * sum(r <= 1.05 for r in regrets) / len(regrets):10.0f}% "
                      f"{math.exp(sum(map(math.log, regrets)) / len(regrets)):8.3f} {max(regrets):7.2f}   with effort = measure, all that it builds and times counted")


def measured_plans(line, costs, build, there):
    """(predicted building, predicted product, building, product, plan) of every plan that was measured."""
    measured, cases = [], {case.name: case for case in cases_of(line)}
    for p in line["plans"]:
        took, key = build_seconds(line, p, there), cost_key(p["plan"])
        if took and key in costs and key in build and p.get("build_parts"):
            measured.append((predict_build(build[key], line, p, there), cases[p["plan"]].predict(costs[key]), took, p["seconds"], p["plan"]))
    return measured


def after_trials(measured, n, device):
    """What effort = measure and n products take, over the best fixed plan: those are tried that keep_affordable keeps (src/plan/tune.cpp)."""
    if not measured:
        return None
    timing = 0.8e-3 if device == "gpu" else 0
    predicted, total = (lambda m: m[0] + n * m[1]), (lambda m: m[2] + n * m[3])
    ranked = sorted(measured, key=predicted)
    few = [m for i, m in enumerate(ranked[:5]) if i < 2 or predicted(m) <= 1.4 * predicted(ranked[0])]
    few += [m for m in ranked if m[4] == "csr" and m not in few]
    left, kept = 0.03 * predicted(ranked[0]), []
    for m in few:
        takes = m[0] + 16 * m[1] + timing
        if takes <= left:
            left -= takes
            kept.append(m)
    trials = sum(m[2] + 16 * m[3] + timing for m in kept) if len(kept) > 1 else 0
    return (trials + (min(map(total, kept)) if trials else total(ranked[0]))) / min(map(total, measured))


def chosen(line, costs, build, n, there):
    """(regret of the plan that is predicted to be the best, what happened), or nothing where nothing was measured."""
    measured = measured_plans(line, costs, build, there)
    if not measured:
        return None
    total = lambda m: m[2] + n * m[3]
    taken, best = min(measured, key=lambda m: m[0] + n * m[1]), min(measured, key=total)
    word = lambda m: f"{m[4].replace('weave layout=', '')} {m[2] * 1e6:.0f} + n * {m[3] * 1e6:.1f} us (predicted {m[0] * 1e6:.0f} + n * {m[1] * 1e6:.1f})"
    return total(taken) / total(best), f"{line['matrix'].split('/')[-1]} {line['precision']}: {word(taken)}, best {word(best)}"


def report_another_run(lines, others):
    """The limit of any choice that is made beforehand: what the plan that was the best in another run, every one of them built and timed
    there, loses in this one."""
    known = {(matrix_name(line), line["precision"]): line for line in others}
    pairs = [(line, known[key]) for line in lines for key in [(matrix_name(line), line["precision"])] if key in known]
    times = lambda line: {p["plan"]: (build_seconds(line, p, False) or 0.0, p["seconds"]) for p in line["plans"]}
    print(f"the best plan of another run with {len(pairs)} of these matrices:")
    for n in (1, 10, 100, 10000, None):
        total = lambda time: time[1] if n is None else time[0] + n * time[1]
        regrets = []
        for line, other in pairs:
            here, there = times(line), times(other)
            both = [plan for plan in here if plan in there]
            if both:
                learnt = min(both, key=lambda plan: total(there[plan]))
                regrets.append(total(here[learnt]) / min(map(total, here.values())))
        within = lambda limit: 100 * sum(r <= limit for r in regrets) / len(regrets)
        print(f"{'products alone' if n is None else f'building + {n}':>16} {within(1.05):4.0f} % within 5 %, {within(1.1):3.0f} % within 10 %, "
              f"regret {math.exp(statistics.mean(map(math.log, regrets))):.3f}, worst {max(regrets):.2f}")


def report_errors(lines, tables):
    print(f"{'median error of a build':>28} " + " ".join(f"{name:>8}" for name, _ in tables))
    for key in sorted({key for _, table in tables for key in table}):
        times = [(line, p, build_seconds(line, p, bool(p.get("build_there_seconds")))) for line in lines for p in line["plans"]
                 if cost_key(p["plan"]) == key and p.get("build_seconds")]
        if times:
            error = lambda table: statistics.median(
                abs(math.log(predict_build(table[key], line, p, bool(p.get("build_there_seconds"))) / took)) for line, p, took in times)
            print(f"{key:>22} {len(times):5} " + " ".join(f"{100 * (math.exp(error(table)) - 1):7.0f}%" if key in table else f"{'-':>8}" for _, table in tables))


def main():
    parser = arguments(__doc__)
    parser.add_argument("--formats", default="", help="fit these alone; weave: stands for all its layouts")
    options = parser.parse_args()
    lines = measured_lines(options)
    for line in lines:
        line["plans"] = [p for p in line["plans"] if p.get("build_parts") and p.get("build_seconds")]
    lines = [line for line in lines if line["plans"]]
    if not lines:
        sys.exit("no measured builds for this device; selection_bench writes them")
    costs, before = costs_in_source(table_of(options)), build_costs_in_source(options.device)
    if options.split:
        names = sorted({line["class"] for line in lines})
        for odd in (0, 1):
            held = [line for line in lines if names.index(line["class"]) % 2 != odd]
            print(f"\nfitted on {', '.join(n for i, n in enumerate(names) if i % 2 == odd)}; scored on the other half:")
            learnt = {**before, **fit_build([line for line in lines if names.index(line["class"]) % 2 == odd])}
            report_build(held, costs, learnt, options.show)
        return
    after = {**before, **fit_build(lines, options.formats.split(","))}
    print(f"{len(lines)} measured matrices; the parts are {', '.join(PARTS)}\n\nas in {COSTS}:")
    report_build(lines, costs, before, options.show)
    print("\nfitted:")
    report_build(lines, costs, after, options.show)
    print()
    report_errors(lines, [("source", before), ("fitted", after)])
    print(f"\n{options.device}_build_costs in {COSTS}{', written' if options.write else ''}:")
    print("\n".join(table_lines(after)))
    if options.write:
        write_build(after, options.device)


if __name__ == "__main__":
    main()
