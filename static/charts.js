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

function rows(table) {
  return [...table.tBodies[0].rows].map((row) => ({
    label: row.cells[0].textContent.trim(),
    values: [...row.querySelectorAll("[data-value]")].map((cell) =>
      cell.dataset.value === "" ? null : Number(cell.dataset.value),
    ),
  }));
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

function draw(figure) {
  const table = document.getElementById(figure.dataset.chart);
  if (!table || !window.echarts) return;
  figure.hidden = false;
  figure.style.height = `${Math.max(120, 30 * table.tBodies[0].rows.length + 24)}px`;
  const chart = window.echarts.init(figure, null, { renderer: "canvas" });
  chart.setOption(bars(table));
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
