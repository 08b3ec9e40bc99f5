// Draws the charts of a page from the tables behind them: the table is the truth, and stays for everyone.
"use strict";

const charts = new Map();


// A custom property holds the words "light-dark(…)"; only a resolved colour can be handed to a canvas.
function colour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const number = (text) => (text === undefined || text === "" ? null : Number(text));

function rows(table) {
  return [...table.tBodies[0].rows].map((row) => {
    const cells = [...row.querySelectorAll("[data-value]")];
    return {
      label: (row.querySelector("[data-label]")?.dataset.label ?? row.cells[0].textContent).trim(),
      values: cells.map((cell) => number(cell.dataset.value)),
      ends: cells.map((cell) => [number(cell.dataset.low), number(cell.dataset.high)]),
    };
  });
}

function axis(more) {
  const soft = { color: colour("--ink-soft"), hideOverlap: true };
  const line = { lineStyle: { color: colour("--line") } };
  return { axisLabel: soft, nameTextStyle: soft, axisLine: line, splitLine: line, ...more };
}

// A whisker from end to end, drawn along the axis that the values lie on, moved aside by so many pixels.
function whiskers(data, across, aside = 0) {
  const style = { stroke: colour("--ink-soft"), lineWidth: 1.5 };
  return {
    type: "custom",
    silent: true,
    z: 1,
    data: data.filter((point) => point[1] != null),
    encode: across ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
    renderItem: (_, api) => {
      const place = (end) => api.coord(across ? [api.value(end), api.value(0)] : [api.value(0), api.value(end)]);
      const [[x1, y1], [x2, y2]] = [place(1), place(2)].map(([x, y]) => (across ? [x, y + aside] : [x + aside, y]));
      const cap = (x, y) => (across ? { x1: x, y1: y - 4, x2: x, y2: y + 4 } : { x1: x - 4, y1: y, x2: x + 4, y2: y });
      const lines = [{ x1, y1, x2, y2 }, cap(x1, y1), cap(x2, y2)];
      return { type: "group", children: lines.map((shape) => ({ type: "line", shape, style })) };
    },
  };
}

// Points with their intervals, one line for each row; several values in a row are several series.
function intervals(table, figure) {
  const data = rows(table).slice(0, Number(figure.dataset.most ?? 40)).reverse();
  const names = (figure.dataset.series ?? "").split("|");
  const many = names.length > 1;
  const aside = (series) => (many ? 7 * (series - (names.length - 1) / 2) : 0);
  const colours = ["--accent-fill", "--good", "--warn", "--bad"].map(colour);
  // A mean of shares lies between 0 and 1, and so does its axis.
  const within = { min: ({ min }) => Math.max(0, Math.floor(10 * min - 0.5) / 10), max: ({ max }) => Math.min(1, Math.ceil(10 * max + 0.5) / 10) };
  const zero = { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("--ink-soft"), type: "dashed" }, data: [{ xAxis: 0 }] };
  return {
    animation: false,
    tooltip: { trigger: "item", renderMode: "richText", formatter: (point) => `${data[point.value[1]].label}: ${point.value[0].toFixed(3)}` },
    legend: many ? { top: 4, textStyle: { color: colour("--ink") } } : undefined,
    grid: { left: 8, right: 24, top: many ? 36 : 8, bottom: 8, containLabel: true },
    xAxis: axis({ type: "value", scale: true, ...(figure.dataset.within === undefined ? {} : within) }),
    yAxis: axis({ type: "category", data: data.map((row) => row.label), axisTick: { show: false }, splitLine: { show: false }, axisLabel: { color: colour("--ink"), width: Math.min(220, 0.4 * figure.clientWidth), overflow: "truncate" } }),
    series: names.flatMap((name, series) => [
      whiskers(data.map((row, place) => [place, ...(row.ends[series] ?? [null, null])]), true, aside(series)),
      {
        type: "scatter",
        name,
        z: 3,
        symbol: ["circle", "diamond", "triangle", "rect"][series % 4],
        symbolSize: 9,
        symbolOffset: [0, aside(series)],
        itemStyle: { color: colours[series % 4] },
        data: data.map((row, place) => [row.values[series], place]).filter(([value]) => value != null),
        markLine: figure.dataset.zero === undefined || series ? undefined : zero,
      },
    ]),
  };
}

// Confidence against being right: on the diagonal, confidence is worth what it says.
function reliability(table) {
  const data = rows(table);
  return {
    animation: false,
    tooltip: { trigger: "item", renderMode: "richText", formatter: (point) => `${point.value[0].toFixed(2)} sure, ${point.value[1].toFixed(2)} right` },
    grid: { left: 40, right: 16, top: 16, bottom: 40 },
    xAxis: axis({ type: "value", min: 0, max: 1, name: "confidence", nameLocation: "middle", nameGap: 26 }),
    yAxis: axis({ type: "value", min: 0, max: 1, name: "share right", nameLocation: "middle", nameGap: 28 }),
    series: [
      { type: "line", silent: true, symbol: "none", data: [[0, 0], [1, 1]], lineStyle: { color: colour("--ink-soft"), type: "dashed", width: 1 } },
      whiskers(data.map((row) => [row.values[0], ...row.ends[1]]), false),
      { type: "line", symbolSize: 9, symbol: "circle", z: 3, itemStyle: { color: colour("--accent-fill") }, lineStyle: { color: colour("--accent-fill") }, data: data.map((row) => [row.values[0], row.values[1]]) },
    ],
  };
}

function bars(table) {
  const data = rows(table).reverse();
  const ink = colour("--ink");
  const soft = colour("--ink-soft");
  const line = colour("--line");
  return {
    animation: false,
    grid: { left: 8, right: 48, top: 8, bottom: 8, containLabel: true },
    xAxis: { type: "value", min: 0, max: 1, axisLabel: { color: soft }, splitLine: { lineStyle: { color: line } } },
    yAxis: { type: "category", data: data.map((row) => row.label), axisLabel: { color: ink }, axisTick: { show: false }, axisLine: { lineStyle: { color: line } } },
    series: [
      {
        type: "bar",
        barMaxWidth: 16,
        itemStyle: { color: colour("--accent-fill"), borderRadius: [0, 3, 3, 0] },
        label: { show: true, position: "right", color: ink, formatter: (point) => (point.value == null ? "–" : point.value.toFixed(2)) },
        data: data.map((row) => row.values[0]),
      },
    ],
  };
}

// How many there are of each kind, as columns side by side.
function columns(table) {
  const data = rows(table);
  return {
    animation: false,
    tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, renderMode: "richText" },
    grid: { left: 8, right: 16, top: 24, bottom: 8, containLabel: true },
    xAxis: axis({ type: "category", data: data.map((row) => row.label), axisTick: { show: false }, splitLine: { show: false } }),
    yAxis: axis({ type: "value", minInterval: 1 }),
    series: [
      {
        type: "bar",
        barCategoryGap: "8%",
        itemStyle: { color: colour("--accent-fill"), borderRadius: [3, 3, 0, 0] },
        label: { show: true, position: "top", color: colour("--ink-soft"), formatter: (point) => point.value || "" },
        data: data.map((row) => row.values[0]),
      },
    ],
  };
}

// One line for each column of a table, along its rows.
function days(table, figure) {
  const data = rows(table);
  const names = figure.dataset.series.split("|");
  const colours = ["--accent-fill", "--good", "--warn", "--bad", "--ink-soft", "--accent", "--line-strong"].map(colour);
  return {
    animation: false,
    tooltip: { trigger: "axis", renderMode: "richText", valueFormatter: (value) => (value == null ? "–" : value.toFixed(2)) },
    legend: { top: 4, type: "scroll", textStyle: { color: colour("--ink") } },
    grid: { left: 40, right: 16, top: 44, bottom: 28 },
    xAxis: axis({ type: "category", data: data.map((row) => row.label) }),
    yAxis: axis({ type: "value", min: 1, max: 5, interval: 1 }),
    series: names.map((name, series) => ({
      type: "line",
      name,
      connectNulls: true,
      symbol: ["circle", "diamond", "triangle", "rect"][series % 4],
      symbolSize: 8,
      itemStyle: { color: colours[series % 7] },
      lineStyle: { color: colours[series % 7] },
      data: data.map((row) => row.values[series]),
    })),
  };
}

// Accuracy by noise: the run with its intervals, and published models as thin lines for context.
function lines(table, figure) {
  const data = rows(table);
  const colours = ["--accent-fill", "--good", "--warn", "--bad", "--ink-soft", "--accent", "--line-strong"].map(colour);
  // A run's rates are shares; what was published is in per cent, as is the axis.
  const per = (value, series) => (value == null ? null : series ? value : 100 * value);
  return {
    animation: false,
    tooltip: { trigger: "axis", renderMode: "richText", valueFormatter: (value) => (value == null ? "–" : `${Math.round(10 * value) / 10} %`) },
    legend: { top: 4, textStyle: { color: colour("--ink") } },
    grid: { left: 48, right: 16, top: 64, bottom: 40 },
    xAxis: axis({ type: "category", data: data.map((row) => row.label), name: "noise", nameLocation: "middle", nameGap: 26 }),
    yAxis: axis({ type: "value", min: 0, max: 100, name: "right, %", nameLocation: "middle", nameGap: 34 }),
    series: [
      whiskers(data.map((row, place) => [place, per(row.ends[0][0], 0), per(row.ends[0][1], 0)]), false),
      ...figure.dataset.series.split("|").map((name, series) => ({
        type: "line",
        name,
        z: series ? 2 : 4,
        connectNulls: true,
        symbol: ["circle", "diamond", "triangle", "rect", "emptyCircle", "emptyDiamond", "emptyTriangle"][series % 7],
        symbolSize: series ? 5 : 9,
        itemStyle: { color: colours[series % 7] },
        lineStyle: { color: colours[series % 7], width: series ? 1 : 3, type: series ? "dashed" : "solid" },
        data: data.map((row) => per(row.values[series], series)),
      })),
    ],
  };
}

const kinds = { bars, columns, days, intervals, lines, reliability };

function height(figure, table) {
  if (figure.dataset.kind === "columns") return 220;
  if (["days", "lines", "reliability"].includes(figure.dataset.kind)) return 320;
  return Math.max(120, 30 * Math.min(table.tBodies[0].rows.length, Number(figure.dataset.most ?? 40)) + 48);
}

function draw(figure) {
  const table = document.getElementById(figure.dataset.chart);
  if (!table || !window.echarts) return;
  figure.hidden = false;
  figure.style.height = `${height(figure, table)}px`;
  const chart = window.echarts.init(figure, null, { renderer: "canvas" });
  chart.setOption(kinds[figure.dataset.kind ?? "bars"](table, figure));
  charts.set(figure, chart);
}

function drawAll() {
  for (const [figure, chart] of charts) {
    chart.dispose();
    charts.delete(figure);
  }
  document.querySelectorAll("[data-chart]").forEach(draw);
}

document.addEventListener("DOMContentLoaded", drawAll);
document.addEventListener("htmx:afterSettle", drawAll);
window.addEventListener("resize", () => charts.forEach((chart) => chart.resize()));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

// Paper is light, whatever the screen is.
window.matchMedia("print").addEventListener("change", drawAll);
let theme = "";
window.addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  drawAll();
});
window.addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
  drawAll();
});
