"""Runs `heddle bench` and reads its JSON: what the other scripts of this folder share."""
import json
import math
import subprocess


def run_bench(command, matrix, options):
    """The JSON document of `heddle bench` on one matrix; its failure ends the script."""
    arguments = [command, "bench", matrix, *options, "--quiet", "--json"]
    run = subprocess.run(arguments, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}\n{run.stderr}")
    return json.loads(run.stdout)


class Heddle:
    def __init__(self, command, device, seconds):
        self.command, self.device, self.seconds = command, device, seconds

    def bench(self, matrix, plans, precision="f32", peers="none"):
        """{plan as asked for: result} of one matrix; a plan that does not fit has no result."""
        document = run_bench(self.command, matrix, [
            "--device", self.device, "--precision", precision, "--cold", "--seconds", str(self.seconds), "--peers", peers,
            "--formats", ";".join(plans)])
        found = document["matrices"][0]
        ours = [r for r in found["results"] if r["peer"] is None]  # in the order asked for
        by_plan = dict(zip(plans, ours))
        for result in found["results"]:
            if result["peer"] is not None:
                by_plan[result["peer"]] = result
        return {"machine": document["machine"], "rows": found["rows"], "nnz": found["nnz"],
                "results": {p: r for p, r in by_plan.items() if r["status"] == "ok"}}


def micro(seconds):
    if seconds is None:
        return "-"
    us = seconds * 1e6
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def time_of(run, plan, cold=False):
    result = run["results"].get(plan)
    return None if result is None else result["cold_seconds" if cold else "seconds"]
