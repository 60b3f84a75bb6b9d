"use strict";

// What the charts of all pages share. `page` is the data of the page; draw(id, height, options)
// puts a chart into the element `id` and redraws it when the width, the theme or the medium
// changes. `height` is in pixels, `options` a function of the look that gives ECharts' options.

const page = JSON.parse(document.getElementById("data").textContent);
const darkTheme = matchMedia("(prefers-color-scheme: dark)");
const drawings = new Map();
let onPaper = false;

const look = width => {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue("--" + name).trim();
  return {
    width,
    narrow: width < 560,
    ink: colour("ink"), soft: colour("soft"), line: colour("line"),
    paper: colour("paper"), card: colour("card"),
    pick: ([light, dark]) => (darkTheme.matches && !onPaper ? dark : light),
  };
};

const common = theme => ({
  animation: false,
  textStyle: {fontFamily: "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif", color: theme.ink},
  tooltip: {
    confine: true, backgroundColor: theme.card, borderColor: theme.line,
    textStyle: {color: theme.ink, fontSize: 13},
    extraCssText: "max-width:340px;white-space:normal",
  },
});

const axis = theme => ({
  axisLabel: {color: theme.soft, fontSize: 12},
  axisLine: {lineStyle: {color: theme.line}},
  axisTick: {lineStyle: {color: theme.line}},
  splitLine: {lineStyle: {color: theme.line}},
  nameTextStyle: {color: theme.soft},
});

const refresh = drawing => {
  const width = onPaper ? 680 : drawing.element.clientWidth;
  if (width === 0) return;
  drawing.chart.resize({width, height: drawing.height});
  drawing.chart.setOption({...common(look(width)), ...drawing.options(look(width))}, true);
};

const draw = (id, height, options, renderer = "svg") => {
  const element = document.getElementById(id);
  let drawing = drawings.get(id);
  if (!drawing) {
    drawing = {element, chart: echarts.init(element, null, {renderer})};
    drawings.set(id, drawing);
  }
  element.style.height = height + "px";
  Object.assign(drawing, {height, options});
  refresh(drawing);
  return drawing.chart;
};

const refreshAll = () => drawings.forEach(refresh);
const setPaper = paper => { onPaper = paper; refreshAll(); };
darkTheme.addEventListener("change", refreshAll);
addEventListener("resize", refreshAll);
addEventListener("beforeprint", () => setPaper(true));
addEventListener("afterprint", () => setPaper(false));

const text = value => echarts.format.encodeHTML(String(value));
// A time on an axis that is `length` seconds long: one unit, no more digits than needed.
const timeLabel = (value, length) => {
  const [unit, name] = length >= 1 ? [1, "s"] : length >= 1e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
  return Number((value / unit).toPrecision(6)) + " " + name;
};
const percent = value => value.toFixed(2) + " %";
const seconds = value => {
  const size = Math.abs(value);
  if (size >= 1) return value.toFixed(3) + " s";
  if (size >= 1e-3) return (value * 1e3).toFixed(3) + " ms";
  return (value * 1e6).toFixed(1) + " µs";
};
