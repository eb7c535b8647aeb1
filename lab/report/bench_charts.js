// The figures: each function takes entries and a width in pixels and gives an <svg>.
"use strict";

const title = (e) => precisions.length > 1 ? `${e.name}, ${e.precision}` : e.name;

// Points (rank, ratio) of a sorted curve, with the part above 1 and the part below it shaded.
function speedupChart(shown, temperature, width) {
  const height = 300, box = boxOf(width, height);
  const facts = shown.map((e) => ({e, at: e.at(temperature)}));
  const pick = hasPeers ? ["gain", "bestGain"] : ["gainOverCsr", "bestGainOverCsr"];
  const sorted = (key) => facts.filter((f) => f.at[key] > 0).sort((a, b) => b.at[key] - a.at[key]);
  const chosen = sorted(pick[0]), best = sorted(pick[1]);
  if (chosen.length === 0) return null;
  const [low, high] = extent([...chosen.map((f) => f.at[pick[0]]), ...best.map((f) => f.at[pick[1]]), 1], 1.4);
  const y = scale(low, high, box.bottom, box.top, true);
  const x = scale(0.5, Math.max(chosen.length, best.length) + 0.5, box.left, box.right, false);
  const points = (list, key) => list.map((f, i) => [x(i + 1), y(f.at[key])]);
  const line = (list, key, kind) =>
    shape("polyline", {class: `curve ${kind}`, points: points(list, key).map((p) => p.join()).join(" ")});
  // The same area twice, each cut to its side of 1.
  const side = (kind, top, bottom) => [
    shape("clipPath", {id: `side-${kind}`}, shape("rect", {x: 0, width, y: top, height: Math.max(0, bottom - top)})),
    shape("polygon", {class: `area ${kind}`, "clip-path": `url(#side-${kind})`,
                      points: [[x(1), y(1)], ...points(chosen, pick[0]), [x(chosen.length), y(1)]].map((p) => p.join()).join(" ")})];
  const show = {y: (v) => `${tick(v)}×`, x: null};
  return drawing(width, height,
    axes(box, x, y, show, {x: `${chosen.length} matrices, sorted`, y: hasPeers ? "time of best peer / ours" : "time of csr / ours"}),
    side("good", 0, y(1)), side("bad", y(1), height),
    shape("line", {class: "guide", x1: box.left, x2: box.right, y1: y(1), y2: y(1)}),
    line(best, pick[1], "ours"), line(chosen, pick[0], ""),
    chosen.map((f, i) => mark("chosen", x(i + 1), y(f.at[pick[0]]), chosen.length > 80 ? 2 : 3.5,
      `${title(f.e)}: ${times(f.at[pick[0]])}\n${f.e.record.chosen} ${seconds(f.at.time(f.at.chosen))}, ` +
      (hasPeers ? `${f.at.peer.peer} ${seconds(f.at.time(f.at.peer))}` : `csr ${seconds(f.at.time(f.at.csr))}`))),
    ends(chosen, pick[0], x, y, box));
}

// The names of the best and the worst, where there is room.
function ends(sorted, key, x, y, box) {
  if (sorted.length < 2) return [];
  const short = (text) => text.length > 26 ? `${text.slice(0, 25)}…` : text;
  const first = sorted[0], last = sorted[sorted.length - 1];
  return [
    shape("text", {class: "label", x: x(1) + 7, y: Math.max(box.top + 10, y(first.at[key]) - 5)}, short(first.e.name)),
    shape("text", {class: "label", x: Math.min(box.right, x(sorted.length) - 7), "text-anchor": "end",
                   y: Math.min(box.bottom - 6, y(last.at[key]) + 14)}, short(last.e.name))];
}

function rooflineChart(shown, temperature, width) {
  const height = 300, box = boxOf(width, height), dots = [];
  for (const e of shown) {
    const at = e.at(temperature);
    for (const r of at.timed)
      if (r.bytes > 0) dots.push({e, r, kind: e.kindOf(r), intensity: 2 * e.record.nnz / r.bytes, rate: at.rate(r), at});
  }
  if (dots.length === 0) return null;
  const roof = run.machine.read_gbps, cache = run.machine.cache_read_gbps;
  const x = scale(...extent(dots.map((d) => d.intensity), 1.3), box.left, box.right, true);
  const y = scale(...extent([...dots.map((d) => d.rate), roof * x.high], 1.2), box.bottom, box.top, true);
  const order = {ours: 0, peer: 1, chosen: 2};
  dots.sort((a, b) => order[a.kind] - order[b.kind]);
  return drawing(width, height,
    axes(box, x, y, {x: tick, y: tick}, {x: "operations per byte", y: "GFLOP/s"}),
    roofLine(box, x, y, roof, "roof", `memory ${digits(roof)} GB/s`),
    cache > roof * 1.05 ? roofLine(box, x, y, cache, "roof cache", `caches ${digits(cache)} GB/s`) : [],
    dots.map((d) => mark(d.kind, x(d.intensity), y(d.rate), d.kind === "ours" ? 2.2 : 3.4,
      `${title(d.e)}\n${labelOf(d.r)}: ${digits(d.rate)} GFLOP/s, ${percent(d.at.roofline(d.r))} of the roofline`,
      d.kind === "ours" ? "faint" : "")));
}

// rate = gbps * intensity, cut off where it leaves the frame.
function roofLine(box, x, y, gbps, kind, text) {
  const from = Math.max(x.low, y.low / gbps), to = Math.min(x.high, y.high / gbps);
  if (!(to > from)) return [];
  const [x1, y1, x2, y2] = [x(from), y(from * gbps), x(to), y(to * gbps)];
  const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
  return [shape("line", {class: kind, x1, y1, x2, y2}),
          shape("text", {class: "label", transform: `translate(${x1},${y1}) rotate(${angle}) translate(8,-5)`}, text)];
}

// Predictions are for warm caches.
function predictionChart(shown, width) {
  const height = 300, box = boxOf(width, height), dots = [];
  for (const e of shown)
    for (const r of e.results)
      if (ok(r) && r.predicted_seconds > 0 && r.seconds > 0) dots.push({e, r, kind: e.kindOf(r)});
  if (dots.length === 0) return null;
  const [low, high] = extent(dots.flatMap((d) => [d.r.seconds, d.r.predicted_seconds]), 1.3);
  const x = scale(low, high, box.left, box.right, true), y = scale(low, high, box.bottom, box.top, true);
  dots.sort((a, b) => (a.kind === "chosen") - (b.kind === "chosen"));
  const inside = (v) => Math.min(high, Math.max(low, v));
  const corner = (v, factor) => `${x(inside(v / Math.max(1, factor)))},${y(inside(v * Math.min(1, factor)))}`;
  const band = [`${x(low)},${y(low)}`, `${x(low)},${y(inside(2 * low))}`, `${x(inside(high / 2))},${y(high)}`,
                `${x(high)},${y(high)}`, `${x(high)},${y(inside(high / 2))}`, `${x(inside(2 * low))},${y(low)}`];
  return drawing(width, height,
    axes(box, x, y, {x: tickSeconds, y: tickSeconds}, {x: "measured", y: "predicted"}),
    shape("polygon", {class: "band", points: band.join(" ")}),
    shape("polyline", {class: "guide", fill: "none", points: `${corner(low, 1)} ${corner(high, 1)}`}),
    dots.map((d) => mark(d.kind, x(d.r.seconds), y(d.r.predicted_seconds), d.kind === "chosen" ? 3.4 : 2.2,
      `${title(d.e)}\n${d.r.plan}: predicted ${seconds(d.r.predicted_seconds)}, measured ${seconds(d.r.seconds)}`,
      d.kind === "chosen" ? "" : "faint")));
}

function regretChart(shown, temperature, width) {
  const height = 300, box = boxOf(width, height);
  const bars = shown.map((e) => ({e, at: e.at(temperature)})).filter((b) => b.at.regret >= 0)
    .sort((a, b) => b.at.regret - a.at.regret);
  if (bars.length === 0) return null;
  const x = scale(0, bars.length, box.left, box.right, false);
  const y = scale(1, Math.max(1.25, (1 + bars[0].at.regret) * 1.1), box.bottom, box.top, true);
  const step = x(1) - x(0), wide = Math.max(1, Math.min(22, step * 0.75));
  return drawing(width, height,
    axes(box, x, y, {y: (v) => `${tick(v)}×`, x: null}, {x: `${bars.length} matrices, sorted`, y: "chosen plan / fastest plan"}),
    bars.map((b, i) => shape("rect", {class: "mark chosen", x: x(i + 0.5) - wide / 2, width: wide, y: y(1 + b.at.regret) - 1,
                                      height: box.bottom - y(1 + b.at.regret) + 1},
      tip(`${title(b.e)}: ${percent(b.at.regret)} longer\nchosen ${b.e.record.chosen} ${seconds(b.at.time(b.at.chosen))}\n` +
          `fastest ${b.at.best.plan} ${seconds(b.at.time(b.at.best))}`))));
}

// One bar for each plan and peer, the fastest on top; a stroke where the model expected its end.
function barChart(entry, temperature, width) {
  const at = entry.at(temperature), narrow = width < 440;
  const left = narrow ? 0 : Math.min(310, width * 0.42), right = 112, row = narrow ? 31 : 19;
  const height = at.timed.length * row + 4;
  const top = Math.max(...at.timed.map(at.rate));
  const x = scale(0, top, left, width - right, false);
  const letters = Math.floor((narrow ? width : left - 10) / 6.7);
  const short = (text) => text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
  const parts = at.timed.map((r, i) => {
    const y = i * row, bar = narrow ? y + 15 : y + 3, end = x(at.rate(r)), kind = entry.kindOf(r);
    const expected = temperature === "warm" && r.predicted_seconds > 0 ? 2 * entry.record.nnz / r.predicted_seconds / 1e9 : NaN;
    return [
      shape("text", {class: "plan", x: narrow ? 0 : left - 8, y: y + (narrow ? 11 : 14), "text-anchor": narrow ? "start" : "end"},
        short(labelOf(r)), tip(labelOf(r))),
      shape("rect", {class: `mark ${kind}`, x: left, y: bar, width: Math.max(1, end - left), height: 13, rx: 1.5},
        tip(`${labelOf(r)}: ${digits(at.rate(r))} GFLOP/s, ${seconds(at.time(r))} ± ${percent(r.spread / 2)}, ` +
            `${digits(r.bytes / at.time(r) / 1e9)} GB/s`)),
      expected > 0 && expected <= top ? shape("line", {class: "expected", x1: x(expected), x2: x(expected), y1: bar - 1.5, y2: bar + 14.5},
        tip(`predicted ${seconds(r.predicted_seconds)}`)) : null,
      shape("text", {class: "value", x: width - 52, y: bar + 11, "text-anchor": "end"}, seconds(at.time(r))),
      shape("text", {class: "value", x: width - 2, y: bar + 11, "text-anchor": "end"}, percent(at.roofline(r)))];
  });
  return drawing(width, height, parts.flat());
}

// Rows by their number of entries, in powers of two.
function histogramChart(lengths, width, height, labelled) {
  let bins = lengths.histogram;
  while (bins.length > 1 && bins[bins.length - 1].rows === 0) bins = bins.slice(0, -1);
  while (bins.length > 1 && bins[0].rows === 0) bins = bins.slice(1);
  const most = Math.max(1, ...bins.map((b) => b.rows)), foot = labelled ? 28 : 0, step = width / Math.max(bins.length, 4);
  const parts = bins.map((b, i) => {
    const tall = b.rows === 0 ? 0 : Math.max(1.5, (height - foot) * b.rows / most);
    const range = b.from === b.to ? `${b.from}` : `${b.from} to ${b.to}`;
    return [shape("rect", {class: "mark ours", x: i * step, width: step * 0.82, y: height - foot - tall, height: tall},
                  tip(`${count(b.rows)} rows with ${range} entries`)),
            labelled && (bins.length <= 7 || i % 2 === 0)
              ? shape("text", {x: (i + 0.41) * step, y: height - foot + 12, "text-anchor": "middle", style: "font-size:9.5px"},
                      b.from >= 1024 ? `${b.from / 1024}k` : `${b.from}`)
              : null];
  });
  if (labelled) parts.push(shape("text", {x: 0, y: height - 3, style: "font-size:10px"}, "entries in a row, from"));
  return drawing(width, height, parts.flat());
}

// Where the entries are. One blue with more or less of it reads on white and on black.
function spyPicture(spy, size) {
  const canvas = node("canvas", {class: "spy", width: spy.wide, height: spy.tall, role: "img", "aria-label": "spy plot"});
  const factor = size / Math.max(spy.wide, spy.tall);
  canvas.style.width = `${Math.max(3, spy.wide * factor)}px`;
  canvas.style.height = `${Math.max(3, spy.tall * factor)}px`;
  const image = new ImageData(spy.wide, spy.tall);
  for (let i = 0; i < spy.cells.length; ++i) {
    const level = parseInt(spy.cells[i], 36) / 35;
    image.data.set([46, 112, 200, level === 0 ? 0 : Math.round(70 + 185 * level)], 4 * i);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
