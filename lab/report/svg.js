// Elements, scales and axes: all that the charts of a report are made of. Text from outside only ever becomes text.
"use strict";

const SVG = "http://www.w3.org/2000/svg";  // a name, not an address: nothing is fetched

// node("td", {class: "number"}, "12", child, ...): children that are strings become text.
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
  return made;
}
const node = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const shape = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const tip = (text) => shape("title", {}, text);

function drawing(width, height, ...children) {
  return shape("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img",
                       style: `max-width:${width}px`}, ...children);
}

// A scale maps numbers to pixels; a logarithmic one has its ticks at 1, 2 and 5 times powers of ten.
function scale(low, high, from, to, logarithmic) {
  const place = logarithmic ? Math.log : (v) => v;
  if (!(place(high) > place(low))) high = logarithmic ? low * 2 : low + 1;
  const span = place(high) - place(low);
  const map = (v) => from + (to - from) * (place(v) - place(low)) / span;
  return Object.assign(map, {low, high, logarithmic, ticks: (count) =>
    logarithmic ? logarithmicTicks(low, high, count) : linearTicks(low, high, count)});
}

function linearTicks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) || 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) found.push(i * step);
  return found;
}

function logarithmicTicks(low, high, count) {
  const all = (factors) => {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e)
      for (const f of factors) {
        const v = f * 10 ** e;
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) found.push(v);
      }
    return found;
  };
  for (const factors of [[1, 1.2, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const found = all(factors);
    if (found.length <= count) return found;
  }
  const powers = all([1]), every = Math.ceil(powers.length / count);
  return powers.filter((_, i) => i % every === 0);
}

// Room that is a little larger than the numbers need; positive numbers only.
function extent(values, margin = 1.15) {
  const known = values.filter((v) => Number.isFinite(v) && v > 0);
  return known.length ? [Math.min(...known) / margin, Math.max(...known) * margin] : [1, 10];
}

// The frame of a chart: grid, ticks and titles. show.x and show.y turn a tick into text.
function axes(box, x, y, show, titles) {
  const parts = [];
  for (const v of y.ticks(Math.max(3, Math.floor((box.bottom - box.top) / 38)))) {
    parts.push(shape("line", {class: "grid", x1: box.left, x2: box.right, y1: y(v), y2: y(v)}));
    parts.push(shape("text", {x: box.left - 6, y: y(v) + 4, "text-anchor": "end"}, show.y(v)));
  }
  if (show.x)
    for (const v of x.ticks(Math.max(3, Math.floor((box.right - box.left) / 70)))) {
      parts.push(shape("line", {class: "grid", x1: x(v), x2: x(v), y1: box.top, y2: box.bottom}));
      parts.push(shape("text", {x: x(v), y: box.bottom + 16, "text-anchor": "middle"}, show.x(v)));
    }
  parts.push(shape("line", {class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}));
  parts.push(shape("text", {x: box.right, y: box.bottom + 33, "text-anchor": "end"}, titles.x));
  parts.push(shape("text", {x: box.left - 40, y: box.top - 10}, titles.y));
  return parts;
}

const boxOf = (width, height) => ({left: 52, right: width - 10, top: 26, bottom: height - 42});

// Circles for plans, squares for peers: told apart without colours too.
function mark(kind, x, y, size, text, more = "") {
  const attributes = {class: `mark ${kind} ${more}`};
  return kind === "peer"
    ? shape("rect", {...attributes, x: x - size, y: y - size, width: 2 * size, height: 2 * size}, tip(text))
    : shape("circle", {...attributes, cx: x, cy: y, r: size}, tip(text));
}
