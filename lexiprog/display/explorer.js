"use strict";
// Values between two tolerances lie on the line between them, or stay as they were for steps; a
// curve of samples is only asked at its own tolerances.
const at = (level, values, t) => {
  const ts = level.tolerances;
  let k = 0;
  while (k + 1 < ts.length && ts[k + 1] <= t) k += 1;
  if (level.steps || level.sampled || k + 1 >= ts.length) return values[k];
  const share = Math.max(0, (t - ts[k]) / (ts[k + 1] - ts[k] || 1));
  return values[k] + share * (values[k + 1] - values[k]);
};
const shown = (v) => {
  const tidy = Math.abs(v) < 1e-9 ? 0 : v;
  return Number(tidy.toPrecision(5)).toString();
};
const make = (name, attributes = {}, ...inside) => {
  const svg = ["svg", "path", "circle", "text", "line", "title"].includes(name);
  const node = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const WIDTH = 230, HEIGHT = 96, PAD = 8;

function chart(level, optimum) {
  const [name, sense, values] = optimum;
  const ts = level.tolerances, last = ts[ts.length - 1] || 1;
  const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
  const x = (t) => PAD + ((WIDTH - 2 * PAD) * t) / last;
  const y = (v) => HEIGHT - 18 - ((HEIGHT - 36) * (v - low)) / span;
  let d = `M${x(ts[0])},${y(values[0])}`;
  for (let k = 1; k < ts.length; k += 1) {
    d += level.steps ? `H${x(ts[k])}V${y(values[k])}` : `L${x(ts[k])},${y(values[k])}`;
  }
  const svg = make("svg", { width: WIDTH, height: HEIGHT, role: "img" });
  svg.append(make("title", {}, `${name} (${sense}) against the tolerance on ${level.name}`));
  if (!level.sampled) svg.append(make("path", { d, fill: "none", stroke: "var(--main)", "stroke-width": 2 }));
  ts.forEach((t, k) => {
    if (level.sampled || ts.length <= 40) svg.append(make("circle", { cx: x(t), cy: y(values[k]), r: 2, fill: "var(--main)" }));
  });
  const line = make("line", { y1: 14, y2: HEIGHT - 18, stroke: "var(--mark)" });
  const dot = make("circle", { r: 4.5, fill: "var(--mark)" });
  const title = make("text", { x: PAD, y: 10 });
  svg.append(line, dot, title);
  svg.append(make("text", { x: PAD, y: HEIGHT - 4 }, "0"));
  svg.append(make("text", { x: WIDTH - PAD, y: HEIGHT - 4, "text-anchor": "end" }, shown(last)));
  return [svg, (t) => {
    const v = at(level, values, t);
    for (const key of ["x1", "x2"]) line.setAttribute(key, x(t));
    dot.setAttribute("cx", x(t));
    dot.setAttribute("cy", y(v));
    title.textContent = `${name} (${sense}): ${shown(v)}`;
  }];
}

function bars(level) {
  const table = make("table"), moves = [];
  for (const [name, values] of level.variables) {
    const low = Math.min(0, ...values), high = Math.max(0, ...values), span = high - low || 1;
    const left = (v) => (100 * (v - low)) / span;
    const fill = make("i"), mark = make("b"), text = make("td");
    const box = make("div", { class: "bar" }, fill, mark);
    mark.style.left = `${left(at(level, values, level.declared))}%`;
    table.append(make("tr", {}, make("td", { class: "name", title: name }, name), make("td", {}, box), text));
    moves.push((t) => {
      const v = at(level, values, t);
      fill.style.left = `${Math.min(left(v), left(0))}%`;
      fill.style.width = `${Math.abs(left(v) - left(0))}%`;
      text.textContent = shown(v);
    });
  }
  return [table, (t) => moves.forEach((move) => move(t))];
}

const ALONE = DATA.levels.length > 1 ? ", with every other tolerance as declared" : "";
const root = document.getElementById("explorer");
root.replaceChildren();
const levels = DATA.levels.map((level) => {
  const section = make("section", {}, make("h3", {}, `How much worse may ${level.name} become?`));
  root.append(section);
  if (level.tolerances.length < 2) { // nothing to choose from
    const said = level.optima.map(([name, sense, values]) => `${name} (${sense}): ${shown(values[0])}`);
    section.append(make("p", { class: "note" }, [level.note + (said.length ? ALONE : ""), ...said].join("; ")));
    return null;
  }
  const last = level.tolerances[level.tolerances.length - 1] || 1;
  // Of samples the slider counts the places, otherwise thousandths of the way.
  const ts = level.tolerances, most = level.sampled ? ts.length - 1 : 1000;
  const place = (t) => (level.sampled ? ts.indexOf(t) : Math.round((1000 * t) / last));
  const tolerance = (value) => (level.sampled ? ts[value] : (last * value) / 1000);
  const slider = make("input", { type: "range", min: 0, max: most, step: 1, "aria-label": `tolerance on ${level.name}` });
  const told = make("output");
  const parts = level.optima.map((optimum) => chart(level, optimum));
  const [table, moveBars] = bars(level);
  const note = make("p", { class: "note" }, `${level.note}${ALONE}; orange marks: as declared`);
  const left = make("div", {}, make("label", {}, "tolerance ", told), slider, note);
  section.append(make("div", { class: "row" }, left, make("div", {}, ...parts.map((p) => p[0])), table));
  const show = (t) => {
    slider.value = place(t);
    told.textContent = shown(t);
    parts.forEach((part) => part[1](t));
    moveBars(t);
  };
  const home = Math.min(level.declared, last);
  show(home);
  return { name: level.name, show, home, slider, tolerance };
}).filter(Boolean);
// Each curve was computed with the other tolerances as declared, so only one slider is away from home.
for (const level of levels) {
  level.slider.addEventListener("input", () => {
    for (const other of levels) if (other !== level) other.show(other.home);
    level.show(level.tolerance(Number(level.slider.value)));
  });
}

// Two tolerances at once: only pairs that were solved can be chosen, so nothing is guessed.
for (const pair of DATA.pairs) {
  const [first, second] = pair.names;
  const section = make("section", {}, make("h3", {}, `And ${first} and ${second} at once?`));
  const told = [make("output"), make("output")], optima = make("table");
  const rows = pair.optima.map(([name, sense]) => {
    const value = make("td", { class: "value" });
    optima.append(make("tr", {}, make("td", {}, `${name} (${sense})`), value));
    return value;
  });
  const sliders = pair.tolerances.map((ts, k) => {
    const home = ts.findIndex((t) => t >= Math.min(pair.declared[k], ts[ts.length - 1]));
    return make("input", { type: "range", min: 0, max: ts.length - 1, step: 1, value: home, "aria-label": `tolerance on ${pair.names[k]}, both at once` });
  });
  const show = () => {
    const [i, j] = sliders.map((slider) => Number(slider.value));
    told.forEach((output, k) => { output.textContent = shown(pair.tolerances[k][[i, j][k]]); });
    pair.optima.forEach(([, , values], k) => { const v = values[i * pair.tolerances[1].length + j]; rows[k].textContent = v === null ? "not certain" : shown(v); });
  };
  const sides = sliders.map((slider, k) => make("div", {}, make("label", {}, `tolerance on ${pair.names[k]} `, told[k]), slider));
  const count = pair.tolerances[0].length * pair.tolerances[1].length;
  const note = make("p", { class: "note" }, `solved at each of ${count} pairs, every other tolerance as declared`);
  section.append(make("div", { class: "row" }, ...sides, optima), note);
  root.append(section);
  sliders.forEach((slider) => slider.addEventListener("input", show));
  show();
}

// The frame around this page, if it listens, is made as high as what is in it.
new ResizeObserver(() => {
  parent.postMessage({ lexiprog: document.body.offsetHeight + 12 }, "*");
}).observe(document.body);
