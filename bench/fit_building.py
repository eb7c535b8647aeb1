"""What building for a GPU costs: fixed, per entry, and per place that is stored without one, for every format."""
import math
import re

from measured_cases import COSTS, Case, cost_key

UPLOAD_SHARE = 0.55  # as in src/plan/model.cpp


def way_seconds(line, plan, there):
    """As in src/plan/model.cpp: the matrix passes between host and device where kernels build, else what was built."""
    facts, value_bytes = line["facts"], int(line["precision"][1:]) // 8
    matrix = facts["nnz"] * (value_bytes + 4) + 8 * (facts["rows"] + 1)
    if plan.get("build_there_seconds"):
        way = 0 if there else matrix
    else:
        way = plan["workload"]["bytes"] + (matrix if there else 0)
    return way / (UPLOAD_SHARE * line["machine"]["upload_gbps"]) * 1e-9


def build_parts(line, plan):
    nnz = line["facts"]["nnz"]
    return nnz * 1e-9, max(0, plan["workload"]["stored"] - nnz) * 1e-9


def predict_build(cost, line, plan, there):
    entries, gaps = build_parts(line, plan)
    return cost[0] * 1e-6 + cost[1] * entries + cost[2] * gaps + way_seconds(line, plan, there)


def fit_build(lines):
    """[fixed us, ns per entry, ns per place without one] for every format; the way to the device is counted apart."""
    cases = {}
    for line in lines:
        for p in line["plans"]:
            if p.get("build_seconds"):
                some = cases.setdefault(cost_key(p["plan"]), [])
                some.append((*build_parts(line, p), way_seconds(line, p, False), p["build_seconds"]))
                if p.get("build_there_seconds"):
                    some.append((*build_parts(line, p), 0.0, p["build_there_seconds"]))
    off = lambda cost, all_cases: sum(
        min(1.5, abs(math.log((cost[0] * 1e-6 + cost[1] * nnz + cost[2] * gaps + way) / seconds))) for nnz, gaps, way, seconds in all_cases)
    found = {}
    for name, some in sorted(cases.items()):
        starts = [[300.0, 2.0, 1.0], [300.0, 0.02, 0.02], [300.0, 0.02, 1.0]]
        found[name] = min((descend(start, lambda cost: off(cost, some)) for start in starts), key=lambda cost: off(cost, some))
    return found


def descend(cost, off):
    """One number at a time, in steps that shrink."""
    step, here = 0.7, off(cost)
    while step > 0.01:
        trials = [[v * (factor if i == j else 1) for j, v in enumerate(cost)] for i in range(len(cost)) for factor in (math.exp(step), math.exp(-step))]
        best = min(trials, key=off)
        if off(best) < here:
            cost, here = best, off(best)
        else:
            step *= 0.6
    return cost


def build_costs_in_source():
    text = open(COSTS, encoding="utf-8").read()
    begin = text.index("gpu_build_costs[] = {")
    table = text[begin:text.index("\n};", begin)]
    return {m[1]: [float(v) for v in m[2].split(",")] for m in re.finditer(r'\{"([^"]+)", ([^}]+)\}', table)}


def write_build(costs):
    text = open(COSTS, encoding="utf-8").read()
    begin = text.index("gpu_build_costs[] = {") + len("gpu_build_costs[] = {")
    names = ["csr"] + [name for name in costs if name != "csr"]
    lines = [f'    {{"{name}", {costs[name][0]:.3g}, {costs[name][1]:.3g}, {costs[name][2]:.3g}}},' for name in names]
    open(COSTS, "w", encoding="utf-8").write(text[:begin] + "\n" + "\n".join(lines) + text[text.index("\n};", begin):])


def report_build(lines, costs):
    """Building and n products together, against the best fixed plan of each matrix."""
    build = build_costs_in_source()
    for there in (False, True):
        print(f"{'products':>10} {'within 5 %':>11} {'regret':>8} {'worst':>7}   of build + n * multiply, matrix {'on the device' if there else 'in host memory'}")
        for n in (1, 10, 100, 10000):
            regrets = [r for r in (total_regret(line, costs, build, n, there) for line in lines) if r]
            if regrets:
                mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
                print(f"{n:10} {100 * sum(r <= 1.05 for r in regrets) / len(regrets):10.0f}% {mean:8.3f} {max(regrets):7.2f}")


def total_regret(line, costs, build, n, there):
    took = "build_there_seconds" if there else "build_seconds"
    measured = [p for p in line["plans"] if p.get(took) and cost_key(p["plan"]) in costs]
    if not measured:
        return None
    cases = {p["plan"]: Case(p, line["machine"], line["precision"]) for p in measured}
    guess = lambda p: (predict_build(build[cost_key(p["plan"])], line, p, there)
                       + n * cases[p["plan"]].predict(costs[cases[p["plan"]].format]))
    total = lambda p: p[took] + n * p["seconds"]
    return total(min(measured, key=guess)) / min(map(total, measured))
