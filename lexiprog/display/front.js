"use strict";
// The points of a front: turned in space (three objectives), as lines over parallel axes, and
// narrowed down by bounds on the objectives. Everything shown is in the data; nothing is computed
// but which points are within the bounds.
const shown = (v) => Number((Math.abs(v) < 1e-9 ? 0 : v).toPrecision(5)).toString();
const make = (name, attributes = {}, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const css = getComputedStyle(document.documentElement);
const [MAIN, ACCENT, SOFT, LINE] = ["--main", "--mark", "--soft", "--line"].map((name) => css.getPropertyValue(name));
const FAINT = "rgba(120,120,115,0.18)";
const root = document.getElementById("front");
root.replaceChildren();
const P = DATA.names.length, N = DATA.points.length;
const ends = DATA.names.map((_, k) => {
  const column = DATA.points.map((z) => z[k]);
  return [Math.min(...column), Math.max(...column)];
});
const share = (z, k) => (z[k] - ends[k][0]) / (ends[k][1] - ends[k][0] || 1);
const limits = ends.map(([low, high]) => [low, high]);
const within = (z) => z.every((v, k) => v >= limits[k][0] - 1e-12 * Math.abs(v) && v <= limits[k][1] + 1e-12 * Math.abs(v));
const redraws = [];
const canvas = (width, height, label) => {
  const node = make("canvas", { width: 2 * width, height: 2 * height, role: "img", "aria-label": label });
  node.style.width = `${width}px`;
  node.style.height = `${height}px`;
  const ink = node.getContext("2d");
  ink.scale(2, 2);
  ink.font = "11px system-ui, sans-serif";
  return [node, ink];
};

function space() {
  const SIZE = 380, [node, ink] = canvas(SIZE, SIZE, `the front of ${DATA.names.join(", ")}, to be turned`);
  let turn = 0.7, tilt = 0.5;
  const place = (u) => {
    const [x, y, z] = u.map((v) => v - 0.5);
    const a = x * Math.cos(turn) - y * Math.sin(turn), b = x * Math.sin(turn) + y * Math.cos(turn);
    const up = z * Math.cos(tilt) - b * Math.sin(tilt);
    return [SIZE / 2 + 225 * a, SIZE / 2 - 225 * up, b * Math.cos(tilt) + z * Math.sin(tilt)];
  };
  const draw = () => {
    ink.clearRect(0, 0, SIZE, SIZE);
    const at = DATA.points.map((z) => place(z.map((_, k) => share(z, k))));
    ink.strokeStyle = LINE;
    ink.fillStyle = SOFT;
    for (let k = 0; k < 3; k += 1) {
      const from = place([0, 0, 0]), tip = [0, 0, 0];
      tip[k] = 1;
      const to = place(tip);
      ink.beginPath();
      ink.moveTo(from[0], from[1]);
      ink.lineTo(to[0], to[1]);
      ink.stroke();
      ink.fillText(`${DATA.names[k]} ${shown(ends[k][1])}`, to[0] + 3, to[1] - 3);
    }
    for (const facet of DATA.facets) {
      if (facet.length < 3) continue;
      const middle = [0, 1].map((c) => facet.reduce((s, i) => s + at[i][c], 0) / facet.length);
      const ring = [...facet].sort((i, j) => Math.atan2(at[i][1] - middle[1], at[i][0] - middle[0]) - Math.atan2(at[j][1] - middle[1], at[j][0] - middle[0]));
      ink.beginPath();
      ring.forEach((i, n) => (n ? ink.lineTo(at[i][0], at[i][1]) : ink.moveTo(at[i][0], at[i][1])));
      ink.closePath();
      ink.fillStyle = "rgba(43,76,126,0.10)";
      ink.strokeStyle = "rgba(43,76,126,0.45)";
      ink.fill();
      ink.stroke();
    }
    const order = at.map((_, i) => i).sort((i, j) => at[j][2] - at[i][2]);
    for (const i of order) {
      ink.fillStyle = within(DATA.points[i]) ? MAIN : FAINT;
      ink.beginPath();
      ink.arc(at[i][0], at[i][1], N > 400 ? 1.6 : 3, 0, 7);
      ink.fill();
    }
  };
  let held = null;
  node.style.cursor = "grab";
  node.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; node.setPointerCapture(event.pointerId); });
  node.addEventListener("pointerup", () => { held = null; });
  node.addEventListener("pointermove", (event) => {
    if (!held) return;
    turn += (event.clientX - held[0]) / 120;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + (event.clientY - held[1]) / 120));
    held = [event.clientX, event.clientY];
    draw();
  });
  redraws.push(draw);
  return node;
}

function lines() {
  const WIDTH = Math.max(380, 110 * P), HEIGHT = 260, [node, ink] = canvas(WIDTH, HEIGHT, `each point as a line over ${DATA.names.join(", ")}`);
  const x = (k) => 40 + ((WIDTH - 80) * k) / Math.max(P - 1, 1);
  const y = (z, k) => {
    const s = share(z, k), best = DATA.senses[k] === "maximised" ? s : 1 - s;
    return HEIGHT - 30 - (HEIGHT - 62) * best;
  };
  redraws.push(() => {
    ink.clearRect(0, 0, WIDTH, HEIGHT);
    for (const inside of [false, true]) {
      ink.globalAlpha = inside ? 0.7 : 1;
      ink.strokeStyle = inside ? MAIN : FAINT;
      for (const z of DATA.points) {
        if (within(z) !== inside) continue;
        ink.beginPath();
        z.forEach((_, k) => (k ? ink.lineTo(x(k), y(z, k)) : ink.moveTo(x(k), y(z, k))));
        ink.stroke();
      }
    }
    ink.globalAlpha = 1;
    ink.strokeStyle = SOFT;
    ink.fillStyle = SOFT;
    ink.textAlign = "center";
    DATA.names.forEach((name, k) => {
      ink.beginPath();
      ink.moveTo(x(k), 32);
      ink.lineTo(x(k), HEIGHT - 30);
      ink.stroke();
      const [low, high] = ends[k], up = DATA.senses[k] === "maximised";
      ink.fillText(name, x(k), 12);
      ink.fillText(shown(up ? high : low), x(k), 26);
      ink.fillText(shown(up ? low : high), x(k), HEIGHT - 16);
    });
    ink.fillText("better values are higher", WIDTH / 2, HEIGHT - 2);
  });
  return node;
}

const told = make("p", { class: "note" }), table = make("table"), panel = make("div");
DATA.names.forEach((name, k) => {
  const row = make("div"), output = make("output");
  const sliders = [0, 1].map((side) => {
    const slider = make("input", { type: "range", min: 0, max: 1000, value: side ? 1000 : 0, "aria-label": `${side ? "largest" : "least"} ${name}` });
    slider.addEventListener("input", () => {
      limits[k][side] = ends[k][0] + ((ends[k][1] - ends[k][0]) * slider.value) / 1000;
      show();
    });
    return slider;
  });
  redraws.push(() => { output.textContent = `${shown(limits[k][0])} to ${shown(limits[k][1])}`; });
  row.append(make("label", {}, `${name} (${DATA.senses[k]}): `, output), ...sliders);
  panel.append(row);
});
const show = () => {
  redraws.forEach((draw) => draw());
  const left = DATA.points.filter(within);
  told.textContent = `${left.length} of ${N} points are within the bounds; ${DATA.notes.join("; ")}`;
  table.replaceChildren(make("tr", {}, ...DATA.names.map((name) => make("th", {}, name))));
  for (const z of left.slice(0, 12)) table.append(make("tr", {}, ...z.map((v) => make("td", {}, shown(v)))));
  if (left.length > 12) table.append(make("tr", {}, make("td", {}, `${left.length - 12} more`)));
};
const views = make("div", { class: "row" });
if (P === 3) views.append(space());
views.append(lines(), panel);
root.append(views, told, table);
show();
