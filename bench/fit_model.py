#!/usr/bin/env python3
"""Fits the costs in src/plan/costs to measured times: no GPU, no package but Python itself and the built command, whose model it asks.

    build/bin/selection_bench --device gpu --out h200.jsonl                 on the machine that is measured
    bench/fit_model.py h200.jsonl                                          anywhere: scores the costs in the file
    bench/fit_model.py h200.jsonl --fit [--write]                          ... and prints fitted costs, or puts them there
    bench/fit_model.py h200.jsonl --correct [--write]                      the same, holding on to the costs in the file: for few new times
    bench/fit_model.py h200.jsonl --correct --hold 2                       ... less: kernels have changed since
    bench/fit_model.py h200.jsonl --split                                  fits one half of the classes, scores the other
    bench/fit_model.py h200.jsonl --svg predicted.svg                      draws predicted against measured
    bench/fit_model.py one.jsonl --another two.jsonl                       ... and how well the best plans of another run do in this one
    bench/fit_model.py --device cpu one.jsonl two.jsonl sixteen.jsonl --fit --write
                                                                           one set of costs for several machines: each counts the same
    bench/fit_model.py --device cpu --loading slow.jsonl --correct --write  those of CPUs whose gathers are slow
    bench/fit_model.py a.jsonl b.jsonl --keep all.jsonl.gz                  several files in one; every program here reads such files
    build/bin/selection_bench --features --out features.jsonl              once the counts in src/formats/*/*_plan.cpp changed:
    bench/fit_model.py h200.jsonl --workloads features.jsonl --fit         the old times with the new counts

The formula is the command's own (heddle predict --serve; HEDDLE_COMMAND says where it is, else build/bin/heddle). Every line of the input is one matrix in one precision: its workloads and
times per plan, and the machine. Times far from the best of their matrix count less: it is the choice that matters.
"""
import math
import random
import re
import sys

from fit_building import fit_build, report_another_run, report_build, write_build
from measured_cases import COSTS, FIELDS, arguments, cases_of, costs_in_source, keep, measured_lines, read, table_of, write_lines
from picture import opening

PRIOR = {"gpu": [0.6, 0.8, 0.7, 1.0, 1.5, 1.5, 0.05, 100, 100], "cpu": [0.1, 0.8, 1.0, 0.3, 300, 300, 1.0, 6, 10]}


LOOSELY = 2e-4  # what being e times off the prior counts
HELD = 8  # a factor that is e times off the old one costs as much as so many times that are e times off; with 4, costs of one half of
          # the matrices are worse on the other half than the old ones (H200, 102 and 191 matrices of 2026-11-16), with 8 and 16 as good


class Prior:
    """Where fitting begins, and how hard it is to leave."""

    def __init__(self, cost, hold=None):
        self.cost, self.hold = cost, hold
        self.starts, self.rounds = (1, 15) if hold else (6, 60)

    def drift(self, cost, weight):
        squares = sum(math.log(a / b) ** 2 for a, b in zip(cost, self.cost))
        return squares * (self.hold / weight if self.hold else LOOSELY)


def loss(cases, cost, prior):
    error = sum(c.weight * min(abs(math.log(c.predict(cost) / c.seconds)), 1.0) ** 1.5 for c in cases)
    weight = max(1e-9, sum(c.weight for c in cases))
    return error / weight + prior.drift(cost, weight)


def fit(cases, prior):
    """Multiplies one factor at a time by growing and shrinking steps; several starts, always the same ones."""
    dice = random.Random(1)
    best = None
    for start in range(prior.starts):
        cost = [v * (1 if start == 0 else math.exp(dice.uniform(-1, 1))) for v in prior.cost]
        cost[1] = min(cost[1], 1.0)
        here, step = loss(cases, cost, prior), [0.5] * len(cost)
        for _ in range(prior.rounds):
            for i in range(len(cost)):
                for factor in (math.exp(step[i]), math.exp(-step[i])):
                    trial = cost[:]
                    trial[i] *= factor
                    if i == 1:
                        trial[i] = min(trial[i], 1.0)
                    there = loss(cases, trial, prior)
                    if there < here:
                        cost, here = trial, there
                        step[i] = min(step[i] * 1.5, 1.0)
                        break
                else:
                    step[i] = max(step[i] * 0.6, 0.005)
        if best is None or here < best[0]:
            best = (here, cost)
    return best[1]


SHARPNESS = 25  # a plan predicted 4 % slower is taken with a third of the weight


class Regret:
    """What a choice among the plans of each line loses, smoothed: every plan is taken with the weight predicted ** -SHARPNESS."""

    def __init__(self, lines, costs):
        self.of_format, self.sums, self.shares = {}, [], machine_shares(lines)
        for number, line in enumerate(lines):
            cases = cases_of(line)
            best = min(c.seconds for c in cases)
            for c in cases:
                self.of_format.setdefault(c.format, []).append((c, number, best, min(math.log(c.seconds / best), 1.0)))
        self.sums = [[0.0, 0.0] for _ in lines]
        self.weights = {}
        for name, entries in self.of_format.items():
            self.weights[name] = [self.weight(entry, costs[name]) for entry in entries]
            for entry, weight in zip(entries, self.weights[name]):
                self.sums[entry[1]][0] += weight
                self.sums[entry[1]][1] += weight * entry[3]

    @staticmethod
    def weight(entry, cost):
        return (entry[0].predict(cost) / entry[2]) ** -SHARPNESS + 1e-30

    def total(self):
        return sum(share * b / a for share, (a, b) in zip(self.shares, self.sums))

    def change(self, name, cost, keep_if_below=0.0):
        """By how much other costs of a format change the total; kept when that is less than the limit."""
        entries, old = self.of_format[name], self.weights[name]
        new = [self.weight(entry, cost) for entry in entries]
        moved = {}
        for entry, before, after in zip(entries, old, new):
            pair = moved.setdefault(entry[1], list(self.sums[entry[1]]))
            pair[0] += after - before
            pair[1] += (after - before) * entry[3]
        delta = sum(self.shares[i] * (b / max(a, 1e-30) - self.sums[i][1] / self.sums[i][0]) for i, (a, b) in moved.items())
        if delta < keep_if_below:
            self.weights[name] = new
            for i, pair in moved.items():
                self.sums[i] = pair
        return delta


def machine_shares(lines):
    """What each line counts: every machine as much as every other, however many matrices it had time for."""
    number = {}
    for line in lines:
        number[line["machine"]["units"]] = number.get(line["machine"]["units"], 0) + 1
    return [len(lines) / len(number) / number[line["machine"]["units"]] for line in lines]


def cases_by_format(lines):
    by_format = {}
    for line, share in zip(lines, machine_shares(lines)):
        for case in cases_of(line):
            case.weight *= share
            by_format.setdefault(case.format, []).append(case)
    return by_format


def refine(lines, costs, priors, rounds=12):
    """From costs that predict times to costs that choose well; times they predict worse count against them."""
    by_format = cases_by_format(lines)
    regret, costs = Regret(lines, costs), {name: list(cost) for name, cost in costs.items()}
    price = lambda name, cost: 0.25 * len(by_format[name]) * loss(by_format[name], cost, priors[name])
    prices = {name: price(name, costs[name]) for name in by_format}
    step = {name: [0.2] * len(FIELDS) for name in by_format}
    for _ in range(rounds):
        for name in sorted(by_format):
            for i in range(len(FIELDS)):
                for factor in (math.exp(step[name][i]), math.exp(-step[name][i])):
                    trial = costs[name][:]
                    trial[i] *= factor
                    if i == 1:
                        trial[i] = min(trial[i], 1.0)
                    asked = price(name, trial)
                    limit = prices[name] - asked
                    if regret.change(name, trial, limit - 1e-9) < limit - 1e-9:
                        costs[name], prices[name] = trial, asked
                        break
                else:
                    step[name][i] = max(step[name][i] * 0.6, 0.01)
    return costs


def fit_all(lines, device, old=None, hold=HELD):
    """`old`: costs to hold on to."""
    by_format = cases_by_format(lines)
    priors = {name: Prior(old[name], hold) if old and name in old else Prior(PRIOR[device]) for name in by_format}
    costs = {name: fit(cases, priors[name]) for name, cases in sorted(by_format.items())}
    # As they will be written: what is scored is what is used.
    return {name: [float(f"{v:.3g}") for v in cost] for name, cost in refine(lines, costs, priors).items()}


def score(lines, costs, show=False):
    """Each machine by itself."""
    machines = sorted({line["machine"]["units"] for line in lines})
    for units in machines:
        if len(machines) > 1:
            print(f"\n{units} units:")
        score_machine([line for line in lines if line["machine"]["units"] == units], costs, show)


def best_of_another_seed(lines):
    """How far measured times themselves are to be trusted: what the best plan of a matrix loses on another of the same kind and size."""
    alike, regrets = {}, []
    for line in lines:
        alike.setdefault((re.sub(r",?seed=\d+", "", line["matrix"]), line["precision"]), []).append(
            {p["plan"]: p["seconds"] for p in line["plans"]})
    for times in alike.values():
        for one in times:
            for other in times:
                best = min(one, key=one.get)
                if one is not other and best in other:
                    regrets.append(other[best] / min(other.values()))
    if regrets:
        print(f"the best plan of the same matrix with another seed: {100 * sum(r <= 1.1 for r in regrets) / len(regrets):.0f} % within 10 %, "
              f"regret {math.exp(sum(map(math.log, regrets)) / len(regrets)):.3f} ({len(regrets)} pairs)")


def best_of_other_rounds(lines):
    """The same of one matrix: what the plan that is best in every other round loses in the rounds between."""
    regrets = []
    middle = lambda values: sorted(values)[len(values) // 2]
    for line in lines:
        rounds = {p["plan"]: p["rounds"] for p in line["plans"] if len(p.get("rounds", [])) > 1}
        for first in (0, 1):
            if rounds:
                learnt = {plan: middle(times[first::2]) for plan, times in rounds.items()}
                held = {plan: middle(times[1 - first::2]) for plan, times in rounds.items()}
                regrets.append(held[min(learnt, key=learnt.get)] / min(held.values()))
    if regrets:
        print(f"the best plan of every other round: {100 * sum(r <= 1.1 for r in regrets) / len(regrets):.0f} % within 10 % in the rounds between, "
              f"regret {math.exp(sum(map(math.log, regrets)) / len(regrets)):.3f}")


def score_machine(lines, costs, show):
    """Regret of taking the plan with the least predicted time, overall and by class."""
    by_class, errors = {}, []
    for line in lines:
        cases = [c for c in cases_of(line) if c.format in costs]
        if not cases:
            continue
        best = min(c.seconds for c in cases)
        chosen = min(cases, key=lambda c: (c.predict(costs[c.format]), c.name))
        by_class.setdefault(line["class"], []).append(chosen.seconds / best)
        errors += [abs(math.log(c.predict(costs[c.format]) / c.seconds)) for c in cases if c.seconds < 3 * best]
        if show and chosen.seconds > 1.05 * best:
            winner = min(cases, key=lambda c: c.seconds)
            print(f"  {chosen.seconds / best:5.2f}  {line['matrix']} {line['precision']}: chose {chosen.name} "
                  f"({chosen.predict(costs[chosen.format]) * 1e6:.1f} predicted, {chosen.seconds * 1e6:.1f} us), best {winner.name} "
                  f"({winner.predict(costs[winner.format]) * 1e6:.1f}, {winner.seconds * 1e6:.1f})")
    regrets = [r for rs in by_class.values() for r in rs]
    if not regrets:
        return
    mean = lambda rs: math.exp(sum(map(math.log, rs)) / len(rs))
    within = lambda rs, limit: 100 * sum(r <= limit for r in rs) / len(rs)
    print(f"{'class':24} {'n':>4} {'within 5 %':>11} {'within 10 %':>12} {'regret':>8} {'worst':>7}")
    for name, rs in sorted(by_class.items()) + [("all", regrets)]:
        print(f"{name:24} {len(rs):4} {within(rs, 1.05):10.0f}% {within(rs, 1.1):11.0f}% {mean(rs):8.3f} {max(rs):7.2f}")
    print(f"median error of a predicted time (plans below 3 times the best): {100 * (math.exp(sorted(errors)[len(errors) // 2]) - 1):.0f} %")
    best_of_another_seed(lines)
    best_of_other_rounds(lines)


def cost_line(name, cost):
    return f"{name:16} " + " ".join(f"{field} {value:.3g}" for field, value in zip(FIELDS, cost))


def print_machine(machine):
    """The figures the costs were fitted with: those of built_in_machine in src/machine/this_machine.cpp should be the same."""
    points = lambda table: ", ".join(f"{{{size}, {rate:.4g}}}" for size, rate in table)
    print(f"machine {machine.get('name', '')}: units {machine['units']}, cache {machine['cache_bytes']}, repeat_us {machine['repeat_us']:.3g}, "
          f"launch_us {machine.get('launch_us', 0):.3g}\n  m.read = {{{points(machine['read'])}}};\n  m.gather = {{{points(machine['gather'])}}};")
    if machine.get("core_read"):
        print(f"  m.core_read = {{{points(machine['core_read'])}}};  wake_us {machine['wake_us']:.3g}, wake_all_us {machine['wake_all_us']:.3g}, "
              f"entry_ns {machine['entry_ns']:.3g}, entry_all_ns {machine.get('entry_all_ns', machine['entry_ns']):.3g}")


def draw(lines, costs, path):
    """One dot per plan and matrix: measured to the right, predicted upwards, both logarithmic; the line is exact."""
    dots = [(c.seconds, c.predict(costs[c.format]), c.seconds == min(p["seconds"] for p in line["plans"]))
            for line in lines for c in cases_of(line) if c.format in costs]
    low, high = min(min(d[0], d[1]) for d in dots), max(max(d[0], d[1]) for d in dots)
    size, left, top = 520, 104, 72
    place = lambda t: (math.log(t / low) / math.log(high / low)) * size
    x, y = lambda t: left + place(t), lambda t: top + size - place(t)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'{opening(left + size + 16, top + size + 64, "Time of a product, predicted against measured")}\n'
                  f'<text x="8" y="22" font-weight="bold">Time of a product, predicted against measured</text>\n'
                  f'<text x="8" y="48" class="quiet">strong dots: the fastest plan of a matrix</text>\n')
        for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
            at, name = 10 ** power, f"{10 ** (power + 6):g} us"
            out.write(f'<line x1="{x(at):.1f}" y1="{top}" x2="{x(at):.1f}" y2="{top + size}" class="grid"/>'
                      f'<line x1="{left}" y1="{y(at):.1f}" x2="{left + size}" y2="{y(at):.1f}" class="grid"/>'
                      f'<text x="{x(at):.1f}" y="{top + size + 24}" text-anchor="middle">{name}</text>'
                      f'<text x="{left - 8}" y="{y(at) + 6:.1f}" text-anchor="end">{name}</text>\n')
        out.write(f'<line x1="{left}" y1="{top + size}" x2="{left + size}" y2="{top}" class="span" stroke-dasharray="3 3"/>\n')
        for wanted, width, role in ((False, 2.5, "many"), (True, 4.5, "few")):
            path = "".join(sorted({f"M{x(m):.0f} {y(p):.0f}h0" for m, p, best in dots if best == wanted}))
            out.write(f'<path d="{path}" class="{role}" stroke-width="{width}" stroke-linecap="round"/>\n')
        out.write(f'<text x="{left + size / 2}" y="{top + size + 52}" text-anchor="middle">measured</text>'
                  f'<text x="22" y="{top + size / 2}" text-anchor="middle" transform="rotate(-90 22 {top + size / 2})">predicted</text>\n</svg>\n')


def tried(cases, costs):
    """The time after effort = measure: the best of the two to five predicted within 40 %, and csr (src/plan/tune.hpp)."""
    ranked = sorted(cases, key=lambda c: (c.predict(costs[c.format]), c.name))
    limit = 1.4 * ranked[0].predict(costs[ranked[0].format])
    few = [c for i, c in enumerate(ranked[:5]) if i < 2 or c.predict(costs[c.format]) <= limit]
    return min(c.seconds for c in few + [c for c in ranked if c.name == "csr"])


def report_effort(lines, costs):
    regrets, in_products, in_csr = [], [], []
    for line in lines:
        cases = [c for c in cases_of(line) if c.format in costs]
        if cases:
            best = min(c.seconds for c in cases)
            regrets.append(tried(cases, costs) / best)
            choosing = line.get("analyze_seconds", 0) + line.get("choose_seconds", 0)
            if line.get("cpu_csr_seconds") and line["facts"]["nnz"] >= 1e6:
                in_products.append(choosing / best)
                in_csr.append(choosing / line["cpu_csr_seconds"])
    print(f"effort = measure: {100 * sum(r <= 1.05 for r in regrets) / len(regrets):.0f} % within 5 %, worst {max(regrets):.2f}")
    if in_csr:
        middle = lambda values: sorted(values)[len(values) // 2]
        print(f"choosing costs (matrices of a million entries and more, medians): {middle(in_csr):.1f} products of csr on the CPU, "
              f"{middle(in_products):.1f} of the best plan on the device")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--correct", action="store_true", help="fit, holding on to the costs in " + COSTS)
    parser.add_argument("--hold", type=float, default=HELD, help="how hard; %(default)g where only machine and matrices are new, 2 where kernels are")
    parser.add_argument("--svg", help="draw predicted against measured into this file")
    parser.add_argument("--another", help="a run with the same matrices: what its best plans lose in this one, the limit of choosing beforehand")
    parser.add_argument("--keep", help="write all measured lines into this file (.jsonl.gz)")
    options = parser.parse_args()
    lines = measured_lines(options)
    if not lines:
        sys.exit("no measured lines for this device")
    if options.keep:
        keep(lines, options.keep)
    old = costs_in_source(table_of(options))
    if options.split:
        names = sorted({line["class"] for line in lines})
        for odd in (0, 1):
            learnt = [line for line in lines if names.index(line["class"]) % 2 == odd]
            held = [line for line in lines if names.index(line["class"]) % 2 != odd]
            print(f"\nfitted on {', '.join(n for i, n in enumerate(names) if i % 2 == odd)}; scored on the other half:")
            score(held, {**old, **fit_all(learnt, options.device, old if options.correct else None, options.hold)}, options.show)
        return
    if options.fit or options.correct:
        costs = fit_all(lines, options.device, old if options.correct else None, options.hold)
        for name, cost in costs.items():
            print("    " + cost_line(name, cost))
        for machine in {line["machine"]["units"]: line["machine"] for line in lines}.values():
            print_machine(machine)
        build = fit_build(lines) if options.fit else {}
        if options.write:
            write_lines(table_of(options), costs)
            if build:
                write_build(build, options.device)
    else:
        costs = old
    score(lines, costs, options.show)
    report_effort(lines, costs)
    report_build(lines, costs)
    if options.another:
        report_another_run(lines, read([options.another], options.device))
    if options.svg:
        draw(lines, costs, options.svg)


if __name__ == "__main__":
    main()
