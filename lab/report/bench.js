// The page: what is shown, in which order, and what the reader may change about it.
"use strict";

const byId = (id) => document.getElementById(id);
const paperWidth = 680;  // pixels of A4 between its margins
let printing = false;
const state = {precision: precisions[0], temperature: "warm", class: "", search: "", sort: "", down: true};

// ------------------------------------------------------------------------------------------------ the machine

function showMachine() {
  const m = run.machine, s = run.settings || {}, {build, ...madeBy} = run.provenance || {};
  const facts = [
    ["device", run.device.name || run.device.kind], ["kind", run.device.kind],
    ["reads", `${digits(m.read_gbps)} GB/s`], ["copies", `${digits(m.copy_gbps)} GB/s`], ["starts work in", `${digits(m.launch_us)} µs`],
    ["last cache", bytes(m.cache_bytes)], ["memory", bytes(m.memory_bytes)],
    [run.device.kind.startsWith("gpu") ? "multiprocessors" : "threads", count(m.units)],
    ["time for each measurement", seconds(s.seconds)], ["heddle", run.heddle], ...Object.entries(madeBy).map(([k, v]) => [k.replace("_", " "), v]), ["date", run.date]];
  byId("machine").append(...facts.filter(([, v]) => v && v !== "–").map(([k, v]) => node("div", {}, node("dt", {}, k), node("dd", {}, v))));
  if (run.interrupted)
    byId("notices").append(node("p", {class: "notice"}, "This run was interrupted: it holds what had been measured by then."));
}

// ------------------------------------------------------------------------------------------------ the table

const pick = (r, key) => r && r[key] !== null ? r[key] : NaN;
const columns = [
  {title: "", cell: (e) => e.spy ? spyPicture(e.spy, 46) : "", kind: "picture"},
  {title: "matrix", value: (e) => e.name, cell: (e) => node("a", {href: `#${anchorOf(e)}`}, breakable(e.name)), kind: "name"},
  {title: "class", value: (e) => e.class},
  {title: "precision", value: (e) => e.precision, kind: "precision"},
  {title: "rows", value: (e) => e.record.rows, show: count, kind: "number"},
  {title: "entries", value: (e) => e.record.nnz, show: count, kind: "number"},
  {title: "row lengths", value: (e) => e.lengths.mean, cell: (e) => histogramChart(e.lengths, 60, 26, false)},
  {title: "chosen plan", value: (e) => e.record.chosen, kind: "plan"},
  {title: "time", value: (e, at) => at.time(at.chosen), show: seconds, kind: "number"},
  {title: "roofline", value: (e, at) => at.roofline(at.chosen), show: percent, kind: "number"},
  {title: "regret", value: (e, at) => at.regret, show: percent, kind: "number"},
  {title: "best peer", value: (e, at) => at.peer ? at.peer.peer : "–", cell: (e, at) => breakable(at.peer ? at.peer.peer : "–"), kind: "library"},
  {title: "speed-up", value: (e, at) => at.gain, show: times, kind: "number", tone: (v) => v >= 1 ? "good" : "bad"},
  {title: "build", value: (e, at) => pick(at.chosen, "build_seconds"), show: seconds, kind: "number"},
  {title: "pays after", value: (e, at) => paysAfter(at), show: (v) => v === Infinity ? "never" : count(v), kind: "number"},
  {title: "error", value: (e, at) => pick(at.chosen, "max_error"), show: (v) => Number.isFinite(v) ? v.toExponential(0) : "–", kind: "number"}];

// A long name may continue on the next line after a comma, a colon, a dash or an underscore.
const breakable = (text) => text.split(/(?<=[,:_-])/).flatMap((part, i) => i > 0 ? [node("wbr"), part] : [part]);

const anchorOf = (e) => `matrix-${entries.indexOf(e)}`;

// Against csr; a count that is missing although both were timed means that csr stays faster.
function paysAfter(at) {
  if (!at.chosen || !at.csr) return NaN;
  return at.chosen.break_even_csr === null ? Infinity : at.chosen.break_even_csr;
}

function showHead() {
  const cells = columns.map((column) => {
    const head = node("th", {class: ["number", "precision"].includes(column.kind) ? column.kind : "", scope: "col"});
    if (column.title) head.append(node("button", {type: "button", onclick: () => sortBy(column)}, column.title));
    column.head = head;
    return head;
  });
  byId("table").tHead.append(node("tr", {}, cells));
}

function sortBy(column) {
  state.down = state.sort === column.title ? !state.down : column.kind === "number";
  state.sort = column.title;
  update();
}

function sorted(list) {
  const column = columns.find((c) => c.title === state.sort && c.value);
  for (const c of columns) c.head.setAttribute("aria-sort", c !== column ? "none" : state.down ? "descending" : "ascending");
  if (!column) return list;
  const key = new Map(list.map((e) => [e, column.value(e, e.at(state.temperature))]));
  const unknown = (v) => typeof v === "number" && Number.isNaN(v);
  return [...list].sort((a, b) => {
    const [x, y] = [key.get(a), key.get(b)];
    if (unknown(x) || unknown(y)) return unknown(x) - unknown(y);  // what is unknown comes last either way
    const order = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
    return state.down ? -order : order;
  });
}

function rowOf(e) {
  const at = e.at(state.temperature);
  return node("tr", {"data-name": e.name}, columns.map((column) => {
    if (column.cell) return node("td", {class: column.kind || ""}, column.cell(e, at));
    const value = column.value(e, at), text = column.show ? column.show(value) : value;
    const tone = column.tone && Number.isFinite(value) ? column.tone(value) : "";
    return node("td", {class: `${column.kind || ""} ${text === "–" ? "none" : ""} ${tone}`}, text);
  }));
}

// ------------------------------------------------------------------------------------------------ the cards

function resultsTable(e) {
  const heads = ["plan or peer", "time", "spread", "cold", "predicted", "GB/s", "roofline", "bytes", "build",
                 "pays after: csr", "best peer", "error", ...(hasEnergy ? ["energy", "power"] : []), ""];
  const after = (r, v) => r.status !== "ok" ? "–" : v === null ? "never" : count(v);
  const body = e.results.map((r) => node("tr", {class: e.kindOf(r)},
    node("td", {class: "plan"}, labelOf(r)),
    [seconds(pick(r, "seconds")), percent(pick(r, "spread")), seconds(pick(r, "cold_seconds")), seconds(pick(r, "predicted_seconds")),
     r.gbps ? digits(r.gbps) : "–", percent(pick(r, "roofline")), bytes(r.bytes), seconds(pick(r, "build_seconds")),
     e.at("warm").csr ? after(r, r.break_even_csr) : "–", e.at("warm").peer ? after(r, r.break_even_peer) : "–",
     r.max_error === null ? "–" : r.max_error.toExponential(0),
     ...(hasEnergy ? [joules(pick(r, "joules")), r.watts ? `${digits(r.watts)} W` : "–"] : [])].map((text) => node("td", {class: "number"}, text)),
    node("td", {}, ok(r) ? "" : r.status)));
  return node("div", {class: "scroll"}, node("table", {},
    node("thead", {}, node("tr", {}, heads.map((h, i) => node("th", {class: i > 0 && i < heads.length - 1 ? "number" : ""}, h)))),
    node("tbody", {}, body)));
}

const barNote = (at) => `The longest bar is ${digits(Math.max(...at.timed.map(at.rate)))} GFLOP/s; time and share of the roofline` +
  (state.temperature === "warm" ? "; the stroke is where the model expected the end." : ".");

function cardOf(e, width) {
  const at = e.at(state.temperature), r = e.record, l = e.lengths;
  const facts = `${count(r.rows)} × ${count(r.cols)}, ${count(r.nnz)} entries, ${digits(l.mean)} a row (${l.min} to ${count(l.max)}); ` +
    `class ${e.class}; planned in ${seconds(r.planning_seconds)}` + (r.complete === false ? "; interrupted" : "");
  const wide = width > 640 ? width - 194 : width;  // beside the pattern, or below it
  const all = node("details", {}, node("summary", {}, "all figures"));
  all.addEventListener("toggle", () => { if (all.open && all.children.length === 1) all.append(resultsTable(e)); });
  return node("article", {class: "card", id: anchorOf(e)},
    node("h3", {}, `${e.name} `, node("span", {class: "soft"}, e.precision)),
    node("p", {class: "facts"}, facts),
    node("div", {class: "parts"},
      node("div", {class: "pattern"}, e.spy ? spyPicture(e.spy, 150) : null, histogramChart(l, 150, 78, true)),
      node("div", {}, at.timed.length ? barChart(e, state.temperature, wide) : null,
        node("p", {class: "none"}, at.timed.length ? barNote(at) : "nothing was timed"),
        at.failed.map((f) => node("p", {class: "none"}, `${labelOf(f)}: ${f.status}`)))),
    all);
}

// ------------------------------------------------------------------------------------------------ figures

function put(id, heading, drawn, caption) {
  byId(id).replaceChildren(node("h3", {}, heading),
    drawn || node("p", {class: "soft"}, "nothing to show"), node("figcaption", {}, drawn ? caption : ""));
}

function showFigures(shown) {
  const t = state.temperature, room = printing ? paperWidth / 2 - 14 : byId("speedup").clientWidth;
  const width = Math.max(280, Math.min(580, room));
  put("speedup", hasPeers ? "Speed-up over the best peer" : "Speed-up over csr (no peer in this run)", speedupChart(shown, t, width),
    "Above 1 ours is faster. Green: the plan chosen without measuring; dashed: the fastest of our plans.");
  put("roofline", "Roofline", rooflineChart(shown, t, width),
    "The line is what memory delivers; points above it ran from caches. Bytes are those of matrix, x and y, moved once.");
  const off = shown.flatMap((e) => e.results).filter((r) => ok(r) && r.predicted_seconds > 0).map((r) => r.predicted_seconds / r.seconds);
  const within = off.filter((v) => v <= 2 && v >= 0.5).length;
  put("prediction", "Predicted against measured", predictionChart(shown, width),
    `Warm. Predicted / measured: median ${times(median(off))}; ${percent(within / off.length)} of ${count(off.length)} ` +
    "plans within a factor of two (band).");
  const regrets = shown.map((e) => e.at(t).regret).filter(Number.isFinite);
  put("regret", "The planner's regret", regretChart(shown, t, width),
    `How much longer the chosen plan takes than the fastest plan measured: median ${percent(median(regrets))}, ` +
    `the fastest was chosen ${count(regrets.filter((v) => v === 0).length)} times of ${count(regrets.length)}.`);
}

function showTiles(shown) {
  const facts = shown.map((e) => e.at(state.temperature)), known = (key) => facts.map((f) => f[key]).filter(Number.isFinite);
  const gains = known("gain"), tiles = [];
  if (gains.length)
    tiles.push([times(geometricMean(gains)), "best peer / chosen plan, geometric mean"],
               [`${gains.filter((v) => v >= 1).length} of ${gains.length}`, "chosen plans faster than every peer"]);
  else if (known("gainOverCsr").length)
    tiles.push([times(geometricMean(known("gainOverCsr"))), "csr / chosen plan, geometric mean"]);
  tiles.push([percent(median(known("regret"))), "the planner's regret, median"],
             [percent(median(facts.map((f) => f.roofline(f.chosen)).filter(Number.isFinite))),
              "of the roofline, median of the chosen plans (caches: above 100 %)"]);
  byId("tiles").replaceChildren(...tiles.map(([value, text]) => node("div", {}, node("strong", {}, value), node("span", {}, text))));
}

// ------------------------------------------------------------------------------------------------ what is shown

function chosenEntries() {
  const words = state.search.toLowerCase();
  return entries.filter((e) => (state.precision === "both" || e.precision === state.precision) &&
    (state.class === "" || e.class === state.class) &&
    (words === "" || `${e.name} ${e.record.chosen}`.toLowerCase().includes(words)));
}

function update() {
  const shown = sorted(chosenEntries());
  for (const name of ["precision", "temperature"])
    for (const button of byId(name).children) button.setAttribute("aria-pressed", String(button.value === state[name]));
  byId("table").className = state.precision === "both" ? "" : "one-precision";
  byId("count").textContent = `${shown.length} of ${entries.length} shown`;
  byId("table").tBodies[0].replaceChildren(...shown.map(rowOf));
  showTiles(shown);
  showFigures(shown);
  const width = printing ? paperWidth : byId("cards").clientWidth;
  byId("cards").replaceChildren(...shown.map((e) => cardOf(e, width)));
}

function showControls() {
  const choice = (name, values) => {
    if (values.length < 2) return;
    byId(name).append(...values.map((value) => node("button", {type: "button", value, onclick: () => { state[name] = value; update(); }}, value)));
  };
  choice("precision", precisions.length > 1 ? [...precisions, "both"] : precisions);
  choice("temperature", hasCold ? ["warm", "cold"] : []);
  byId("class").append(node("option", {value: ""}, "every class"), ...classes.map((c) => node("option", {value: c}, c)));
  byId("class").addEventListener("change", (event) => { state.class = event.target.value; update(); });
  byId("search").addEventListener("input", (event) => { state.search = event.target.value; update(); });
}

function showFailures() {
  if (failures.length === 0) return;
  byId("failures").append(node("h3", {}, "Not measured"),
    node("ul", {}, failures.map((f) => node("li", {}, `${f.name}: ${f.error.message}`))));
}

showMachine();
showControls();
showHead();
showFailures();
update();
const print = (on) => () => { printing = on; update(); };
addEventListener("beforeprint", print(true));
addEventListener("afterprint", print(false));
let drawnWidth = innerWidth, waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (innerWidth !== drawnWidth) { drawnWidth = innerWidth; update(); } }, 120);
});
