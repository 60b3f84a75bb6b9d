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
  const [unit, name] = length >= 1 ? [1, "s"] : length >= 1e-3 ? [1e-3, "ms"] : [1e-6, "us"];
  return Number((value / unit).toPrecision(6)) + " " + name;
};
// A figure with three digits.
const short = value => Number(value.toPrecision(3));
// Writes figures with three digits of what tells those of `values` apart.
const apart = values => {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const alike = most > least ? Math.log10(Math.max(Math.abs(least), Math.abs(most)) / (most - least)) : 0;
  const digits = Math.min(15, 3 + Math.max(0, Math.ceil(alike)));
  return value => Number(value.toPrecision(digits));
};
// A whole number, thousands apart.
const grouped = value => Math.round(value).toLocaleString("en");
const percent = value => value.toFixed(2) + " %";
const seconds = value => {
  const size = Math.abs(value);
  if (size >= 1) return value.toFixed(3) + " s";
  if (size >= 1e-3) return (value * 1e3).toFixed(3) + " ms";
  return (value * 1e6).toFixed(1) + " us";
};

// The legend above the chart of which it has the name, made where the page has none.
const legendOf = id => {
  const there = document.getElementById(id);
  if (there) return there;
  const legend = document.createElement("div");
  legend.id = id;
  legend.className = "legend";
  document.getElementById(id.replace(/-legend$/, "")).before(legend);
  return legend;
};

// Fills a legend: items are {background, label, wide}, the colours those of the theme.
const drawLegend = (id, items, theme) => {
  legendOf(id).replaceChildren(...items.map(({background, label, wide}) => {
    const item = document.createElement("span");
    const mark = document.createElement("i");
    mark.className = wide ? "ramp" : "";
    mark.style.background = background;
    mark.style.outline = "1px solid " + theme.line;
    item.append(mark, label);
    return item;
  }));
};

// Fills the table in the details `id` while they are open: what a chart shows of the chosen one of
// `choices`, `lines` a function from its number to lists of texts.
const tableOfChart = (id, label, choices, headings, lines) => {
  const details = document.getElementById(id);
  const field = document.createElement("label");
  const select = document.createElement("select");
  select.append(...choices.map((choice, i) => new Option(choice, i)));
  field.append(label + " ", select);
  details.querySelector(".fields").replaceChildren(field);
  const row = (tag, cells) => {
    const line = document.createElement("tr");
    line.append(...cells.map((shown, i) => {
      const cell = document.createElement(tag);
      if (tag === "th") cell.scope = "col";
      else cell.dataset.label = headings[i];
      cell.textContent = shown;
      return cell;
    }));
    return line;
  };
  const fill = () => {
    if (details.open) details.querySelector("table").replaceChildren(
      row("th", headings), ...lines(Number(select.value)).map(cells => row("td", cells)));
  };
  details.ontoggle = fill;
  select.addEventListener("change", fill);
  fill();
};

// Where steps go: a bar for each of `names`, its shares side by side, and the legend `id`-legend.
// A stroke marks what was `measured`, where anything was; names have two lines there.
const drawShareBars = (id, {unit, names, shares, measured}) => {
  const show = value => `${Number(value.toPrecision(4))} ${unit}`;
  const room = measured ? 130 : 76;
  const twoLines = measured ? {width: room - 12, overflow: "truncate", lineHeight: 15} : {};
  draw(id, 44 + 34 * names.length, theme => {
    drawLegend(id + "-legend", shares.map(({name, colour}) => ({background: theme.pick(colour), label: name})), theme);
    const strokes = {type: "scatter", name: "measured", symbol: "rect", symbolSize: [2, 30], data: measured,
                     itemStyle: {color: theme.ink}};
    return {
      grid: {left: theme.narrow ? room : room + 14, right: 22, top: 6, bottom: 30},
      xAxis: {...axis(theme), type: "value", max: unit === "%" ? 100 : undefined, splitNumber: theme.narrow ? 3 : 8,
              axisLabel: {color: theme.soft, hideOverlap: true, formatter: show}},
      yAxis: {...axis(theme), type: "category", inverse: true, data: names, axisTick: {show: false},
              axisLabel: {...axis(theme).axisLabel, ...twoLines}},
      tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: show},
      series: [
        ...shares.map(({name, colour, values}) => ({
          type: "bar", stack: "step", name, data: values, barMaxWidth: 26, itemStyle: {color: theme.pick(colour)},
        })),
        ...(measured ? [strokes] : []),
      ],
    };
  });
};
