// The document of the run, and what follows from it for one matrix in one precision (an "entry").
"use strict";

const run = JSON.parse(document.getElementById("data").textContent);

const digits = (v) => v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2);
function seconds(v) {
  if (!Number.isFinite(v)) return "–";
  const [unit, factor] = v >= 0.9995 ? ["s", 1] : v >= 0.9995e-3 ? ["ms", 1e3] : v >= 0.9995e-6 ? ["µs", 1e6] : ["ns", 1e9];
  return `${digits(v * factor)} ${unit}`;
}
const tickSeconds = (v) => seconds(v).replace(/\.0+ /, " ");
function bytes(v) {
  if (!(v > 0)) return "–";
  const step = Math.min(5, Math.floor(Math.log10(v) / 3));
  return step === 0 ? `${v} B` : `${digits(v / 1000 ** step)} ${" kMGTP"[step]}B`;
}
function joules(v) {
  if (!Number.isFinite(v)) return "–";
  const [unit, factor] = v >= 0.9995 ? ["J", 1] : v >= 0.9995e-3 ? ["mJ", 1e3] : ["µJ", 1e6];
  return `${digits(v * factor)} ${unit}`;
}
const count = (v) => Number.isFinite(v) ? v.toLocaleString("en-US") : "–";
const percent = (v) => Number.isFinite(v) ? `${(100 * v).toFixed(Math.abs(v) < 0.0995 ? 1 : 0)} %` : "–";
const times = (v) => Number.isFinite(v) ? `${v < 10 ? v.toFixed(2) : v.toFixed(1)}×` : "–";
const tick = (v) => String(Number(v.toPrecision(3)));

const ok = (result) => result.status === "ok";
const labelOf = (result) => result.peer === null ? result.plan : result.peer;
const formatOf = (result) => result.peer === null ? result.plan.split(" ")[0] : result.peer;

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length === 0 ? NaN : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

class Entry {
  constructor(record, sibling) {
    this.record = record;
    this.name = record.name;
    this.precision = record.precision;
    this.class = record.class;
    this.results = record.results;
    this.spy = record.spy || (sibling && sibling.spy) || null;
    this.lengths = record.rows_len;
  }

  kindOf(result) {
    return result.peer !== null ? "peer" : result.plan === this.record.chosen ? "chosen" : "ours";
  }

  // Everything that depends on whether caches are warm or cold.
  at(temperature) {
    const key = temperature === "cold" ? "cold_seconds" : "seconds";
    const time = (r) => r && ok(r) && r[key] > 0 ? r[key] : NaN;
    const timed = this.results.filter((r) => time(r) > 0).sort((a, b) => time(a) - time(b));
    const peer = timed.find((r) => r.peer !== null), best = timed.find((r) => r.peer === null);
    const chosen = timed.find((r) => r.peer === null && r.plan === this.record.chosen);
    const csr = timed.find((r) => r.peer === null && formatOf(r) === "csr");
    const gain = (against, r) => time(against) / time(r);
    return {time, timed, peer, best, chosen, csr,
            failed: this.results.filter((r) => !ok(r)),
            rate: (r) => 2 * this.record.nnz / time(r) / 1e9,
            roofline: (r) => r ? r.bytes / time(r) / 1e9 / run.machine.read_gbps : NaN,
            gain: gain(peer, chosen), bestGain: gain(peer, best),
            gainOverCsr: gain(csr, chosen), bestGainOverCsr: gain(csr, best),
            regret: time(chosen) / time(best) - 1};
  }
}

function entriesOf(matrices) {
  const bySource = new Map();
  return matrices.filter((record) => record.results.length > 0).map((record) => {
    const entry = new Entry(record, bySource.get(record.source));
    if (!bySource.has(record.source)) bySource.set(record.source, entry);
    return entry;
  });
}

const entries = entriesOf(run.matrices);
const failures = run.matrices.filter((record) => record.error);
const distinct = (values) => [...new Set(values)].sort();
const precisions = distinct(entries.map((e) => e.precision)).reverse();
const classes = distinct(entries.map((e) => e.class));
const hasCold = entries.some((e) => e.results.some((r) => r.cold_seconds > 0));
const hasEnergy = entries.some((e) => e.results.some((r) => r.joules > 0));
const hasPeers = entries.some((e) => e.results.some((r) => r.peer !== null && ok(r)));
