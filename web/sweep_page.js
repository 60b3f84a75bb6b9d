// The charts and the table of `simtrain sweep --report`.

const axes = page.axes;
// Rows come as lists (sweep_html_data.cpp); what was not simulated has no figures.
const rows = page.rows.map(([index, status, gpus, dp, ...rest]) => {
  const row = {index, status, gpus, dp};
  if (rest.length === 1) return {...row, reason: page.reasons[rest[0]]};
  const [step, low, high, tokens, mfu, gigabytes] = rest;
  return {...row, step, low, high, tokens, mfu: mfu * 100, gigabytes,
          days: 1e12 / tokens / 86400, gpuHours: gpus * 1e12 / tokens / 3600};
});
const rowOf = new Map(rows.map(row => [row.index, row]));

// Which value of each axis a candidate has: the first axis changes slowest.
const choiceOf = index => {
  const choice = [];
  for (let i = axes.length - 1; i >= 0; --i) {
    choice[i] = index % axes[i].values.length;
    index = Math.floor(index / axes[i].values.length);
  }
  return choice;
};
const planText = (index, without = []) => {
  const choice = choiceOf(index);
  return axes.map((axis, i) => (without.includes(i) ? "" : `${axis.name}=${axis.values[choice[i]]}`))
    .filter(part => part !== "").join(" ");
};
const statusName = status => page.statuses[status].replaceAll("_", " ");

// A labelled choice in the element `id`; choices are [value, text].
const addSelect = (id, label, choices, changed) => {
  const field = document.createElement("label");
  const select = document.createElement("select");
  field.append(label + " ", select);
  for (const [value, shown] of choices) select.append(new Option(shown, value));
  select.addEventListener("change", changed);
  document.getElementById(id).append(field);
  return select;
};

// Writes times as briefly as tells them apart.
const briefTimes = times => {
  const [unit, name] = times.some(time => time >= 1) ? [1, "s"] : [1e-3, "ms"];
  const figure = apart(times.map(time => time / unit));
  return time => `${figure(time / unit)} ${name}`;
};
// What a cell of a map can show: the places of its row and its figure in the cell.
const measures = {
  step: {name: "step time", row: 1, figure: 2, low: true, log: true, label: seconds, brief: briefTimes},
  mfu: {name: "MFU", row: 3, figure: 4, low: false, scale: 100, label: percent,
        brief: () => value => value.toFixed(1) + " %"},
  memory: {name: "memory", row: 5, figure: 6, low: true, label: value => value.toFixed(1) + " GB",
           brief: () => value => Math.round(value) + " GB"},
};
// From the worst to the best, for a light and a dark page.
const ramp = [["#c9dcf5", "#24406c"], ["#6f9ee0", "#4377c0"], ["#174690", "#b9d6ff"]];
const emptyKinds = {
  none: {name: "not done", brief: "", colour: ["#ffffff", "#12161c"]},
  illegal: {name: "no legal job", brief: "illegal", colour: ["#ecedef", "#22262c"]},
  large: {name: "does not fit", brief: "too large", colour: ["#f3c9c0", "#5d332d"]},
};
const figureOf = (cell, measure) => cell[measure.figure] * (measure.scale || 1);
const kindOf = cell =>
  cell.length === 0 ? "none" : cell[0] > 0 ? "fits" : cell[0] === 0 ? "large" : "illegal";

const mixed = (share, theme) => {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const first = Math.min(Math.floor(at), ramp.length - 2);
  const bytes = colour => [1, 3, 5].map(i => parseInt(theme.pick(colour).slice(i, i + 2), 16));
  const [from, to] = [bytes(ramp[first]), bytes(ramp[first + 1])];
  const mix = from.map((value, i) => Math.round(value + (to[i] - value) * (at - first)));
  return {fill: `rgb(${mix})`, light: 0.299 * mix[0] + 0.587 * mix[1] + 0.114 * mix[2] > 140};
};

// A map with the chosen axes as its columns and rows; cells as [column, row, cell].
const orientedMap = (columns, lines) => {
  for (const map of page.maps) {
    const straight = map.rows === lines && map.columns === columns;
    const turned = map.rows === columns && map.columns === lines;
    if (!straight && !turned) continue;
    const wide = map.columns === null ? 1 : axes[map.columns].values.length;
    return map.cells.map((cell, i) => {
      const at = [Math.floor(i / wide), i % wide];
      return straight ? [at[1], at[0], cell] : [at[0], at[1], cell];
    });
  }
  return [];
};

const mapTip = (measure, columns, lines, [column, line, cell]) => {
  const fixed = [columns, lines].filter(axis => axis !== null);
  const name = fixed.map(axis => `${axes[axis].name}=${axes[axis].values[axis === columns ? column : line]}`);
  const title = `<b>${text(name.join(" "))}</b><br>`;
  const kind = kindOf(cell);
  if (kind === "none") return title + "not done";
  if (kind === "illegal") return title + "no legal job: " + text(page.reasons[cell[1]]);
  const others = index => text(planText(index, fixed));
  if (kind === "large")
    return `${title}nothing fits; the smallest needs ${cell[2].toFixed(1)} GB<br>${others(cell[1])}`;
  return `${title}best ${measure.name} ${measure.label(figureOf(cell, measure))}` +
         `<br>${others(cell[measure.row])}<br>candidates that fit: ${cell[0]}`;
};

const drawMapLegend = (cells, measure, [least, most], theme) => {
  const [worst, best] = measure.low ? [most, least] : [least, most];
  const scale = least > most ? [] : [{
    wide: true, background: `linear-gradient(90deg,${ramp.map(theme.pick)})`,
    label: `${measure.label(worst)} to ${measure.label(best)}`}];
  const kinds = new Set(cells.map(([, , cell]) => kindOf(cell)));
  const empty = Object.entries(emptyKinds).filter(([kind]) => kinds.has(kind))
    .map(([, {name, colour}]) => ({background: theme.pick(colour), label: name}));
  drawLegend("map-legend", [...scale, ...empty], theme);
};

// How one cell is drawn; `share` is 1 for the best figure of the map and 0 for the worst, `brief`
// writes one.
const mapCell = (cells, measure, share, brief, theme) => (params, api) => {
  const cell = cells[params.dataIndex][2];
  const [x, y] = api.coord([api.value(0), api.value(1)]);
  const [width, height] = api.size([1, 1]);
  const gap = Math.min(width, height) > 7 ? 1 : 0;
  const kind = kindOf(cell);
  const figure = kind === "fits" ? figureOf(cell, measure) : undefined;
  const colour = figure !== undefined ? mixed(share(figure), theme)
    : {fill: theme.pick(emptyKinds[kind].colour), light: theme.pick([true, false])};
  const shown = figure !== undefined ? brief(figure) : emptyKinds[kind].brief;
  const roomy = width > 7 * shown.length + 6 && height > 14;
  const framed = figure !== undefined && share(figure) === 1 && Math.min(width, height) > 12;
  const line = framed ? {stroke: theme.ink, lineWidth: 2.5}
    : kind === "none" ? {stroke: theme.line, lineWidth: 1} : {lineWidth: 0};
  return {
    type: "rect", z2: framed ? 2 : 1,
    shape: {x: x - width / 2 + gap, y: y - height / 2 + gap, width: Math.max(width - 2 * gap, 0.5),
            height: Math.max(height - 2 * gap, 0.5)},
    style: {fill: colour.fill, ...line},
    textContent: roomy && shown
      ? {style: {text: shown, fill: colour.light ? "#1b2430" : "#ffffff", fontSize: 11}} : undefined,
    textConfig: {position: "inside"},
  };
};

const drawMap = (measure, columns, lines) => {
  const cells = orientedMap(columns, lines);
  const figures = cells.map(([, , cell]) => cell).filter(cell => kindOf(cell) === "fits")
    .map(cell => figureOf(cell, measure));
  const ends = [figures.reduce((a, b) => Math.min(a, b), Infinity),
                figures.reduce((a, b) => Math.max(a, b), -Infinity)];
  const scale = measure.log ? Math.log : value => value;
  const share = value => {
    const [worst, best] = (measure.low ? [ends[1], ends[0]] : ends).map(scale);
    return worst === best ? 1 : (scale(value) - worst) / (best - worst);
  };
  const values = axis => (axis === null ? [""] : axes[axis].values);
  const row = Math.max(9, Math.min(34, 560 / values(lines).length));
  const label = width => ({hideOverlap: true, overflow: "truncate", width});
  draw("map", 64 + Math.ceil(row * values(lines).length), theme => {
    drawMapLegend(cells, measure, ends, theme);
    return {
      grid: {left: lines === null ? 14 : theme.narrow ? 66 : 110, right: 14, top: 8, bottom: 52},
      xAxis: {...axis(theme), type: "category", data: values(columns), name: axes[columns].name,
              nameLocation: "middle", nameGap: 30, axisTick: {show: false},
              axisLabel: {color: theme.soft, ...label(theme.narrow ? 56 : 110)}},
      yAxis: {...axis(theme), type: "category", inverse: true, data: values(lines), axisTick: {show: false},
              name: lines === null ? "" : axes[lines].name, nameLocation: "middle",
              nameGap: theme.narrow ? 52 : 94, axisLabel: {color: theme.soft, ...label(theme.narrow ? 40 : 80)}},
      tooltip: {...common(theme).tooltip,
                formatter: ({dataIndex}) => mapTip(measure, columns, lines, cells[dataIndex])},
      series: [{type: "custom", encode: {x: 0, y: 1}, data: cells.map(([column, line]) => [column, line]),
                renderItem: mapCell(cells, measure, share, measure.brief(figures), theme)}],
    };
  }, "canvas");
};

const showMaps = () => {
  const note = document.getElementById("map-note");
  const varied = axes.filter(one => one.values.length > 1).length;
  if (page.maps.length === 0) {
    for (const id of ["map", "map-head", "map-about", "map-fields", "map-legend"])
      document.getElementById(id).remove();
    note.textContent = varied === 0 ? "No map: there is one candidate."
      : varied === 1 ? "No map: the one key that varies has too many values."
      : "No map: no two keys have few enough values.";
    return;
  }
  const mapped = axes.map((_, i) => i).filter(i => page.maps.some(map => map.rows === i || map.columns === i));
  const partners = i => mapped.filter(j => page.maps.some(map =>
    (map.rows === i && map.columns === j) || (map.rows === j && map.columns === i)));
  const alone = page.maps[0].columns === null;
  if (alone) document.getElementById("map-head").textContent = "The best by " + axes[page.maps[0].rows].name;
  document.getElementById("map-about").textContent =
    (alone ? "Each cell is the candidate with its value" : "Each cell is the best of all candidates with its two " +
     "values, whatever the other keys are") + "; the strongest colour is the best, the frame marks the best of all.";
  const named = i => [String(i), axes[i].name];
  const change = () => {
    if (!alone) {
      const kept = lines.value;
      lines.replaceChildren(...partners(Number(columns.value)).map(i => new Option(axes[i].name, i)));
      if ([...lines.options].some(option => option.value === kept)) lines.value = kept;
    }
    drawMap(measures[measure.value], Number(columns.value), alone ? null : Number(lines.value));
  };
  const measure = addSelect("map-fields", "Best", Object.entries(measures).map(([id, {name}]) => [id, name]), change);
  const columns = addSelect("map-fields", "across", mapped.map(named), change);
  const lines = alone ? null : addSelect("map-fields", "down", mapped.map(named), change);
  const first = page.maps[0];
  columns.value = String(alone ? first.rows : first.columns);
  if (!alone) lines.value = String(first.rows);
  if (page.maps.length < Math.max(varied * (varied - 1) / 2, 1))
    note.textContent = "Pairs of keys with too many values together are left out.";
  change();
};

const costs = {
  memory: {name: "memory of the fullest GPU", figure: row => row.gigabytes, unit: " GB"},
  gpu_hours: {name: "GPU hours of 1T tokens", figure: row => row.gpuHours, unit: " h"},
};

const drawFront = cost => {
  const {figure, name, unit} = costs[cost];
  const time = row => (page.same_work ? row.step : row.days);
  const timeUnit = page.same_work ? "s" : "days";
  const front = page.fronts[cost].map(index => rowOf.get(index));
  const inFront = new Set(page.fronts[cost]);
  const others = rows.filter(row => row.status === 0 && !inFront.has(row.index));
  const times = [...front, ...others].map(time);
  const [timeOf, costOf] = [times, [...front, ...others].map(figure)].map(apart);
  const spread = times.reduce((a, b) => Math.max(a, b)) / times.reduce((a, b) => Math.min(a, b));
  const points = list => list.map(row => [figure(row), time(row), row.index]);
  const tip = ({data: [, , index]}) => {
    const row = rowOf.get(index);
    return `<b>${text(planText(index))}</b><br>${seconds(row.step)}, MFU ${percent(row.mfu)}<br>` +
           `${row.gigabytes.toFixed(1)} GB, ${row.gpus} GPUs, row ${index}`;
  };
  document.getElementById("front-note").textContent =
    `Each point is a candidate that fits. Of the ${front.length} on the line, none is beaten in both ` +
    `${page.same_work ? "step time" : "time for 1T tokens"} and ${name}.`;
  const [pale, strong] = [["#8d98a8", "#74808f"], ["#c2410c", "#f08c55"]];
  draw("front", 356, theme => (drawLegend("front-legend", [
    {background: theme.pick(strong), label: "Pareto front"}, {background: theme.pick(pale), label: "other candidates"}], theme), {
    grid: {left: 82, right: 18, top: 10, bottom: 48},
    xAxis: {...axis(theme), type: "value", scale: true, name, nameLocation: "middle", nameGap: 30,
            splitNumber: theme.narrow ? 3 : 8,
            axisLabel: {color: theme.soft, hideOverlap: true, formatter: value => costOf(value) + unit}},
    yAxis: {...axis(theme), type: spread > 4 ? "log" : "value", logBase: 2, scale: true, splitNumber: 6,
            name: page.same_work ? "step time" : "time for 1T tokens", nameLocation: "middle", nameGap: 58,
            min: spread > 4 ? ({min}) => min * 0.95 : undefined, max: spread > 4 ? ({max}) => max * 1.05 : undefined,
            axisLabel: {color: theme.soft, hideOverlap: true,
                        formatter: value => timeOf(value) + " " + timeUnit}},
    tooltip: {...common(theme).tooltip, formatter: tip},
    series: [
      {type: "scatter", name: "other candidates", symbolSize: 6, data: points(others),
       itemStyle: {color: theme.pick(pale), opacity: 0.6}},
      {type: "line", name: "Pareto front", data: points(front), symbol: "circle", symbolSize: 9, z: 3,
       step: "end", color: theme.pick(strong), lineStyle: {width: 1.5}},
    ],
  }), "canvas");
};

const showFronts = () => {
  if (!document.getElementById("front")) return;
  const known = Object.keys(page.fronts);
  const select = known.length < 2 ? null
    : addSelect("front-fields", "Against", known.map(cost => [cost, costs[cost].name]), () => drawFront(select.value));
  drawFront(known[0]);
};

// Columns of the table: a name, what is sorted by and what is shown.
const columns = [
  ...axes.map((one, i) => ({name: one.name, by: row => choiceOf(row.index)[i],
                            show: row => one.values[choiceOf(row.index)[i]]})),
  {name: "GPUs", by: row => row.gpus || undefined},
  {name: "DP", by: row => row.dp || undefined},
  {name: "step time", by: row => row.step, show: row => row.step.toFixed(3) + " s"},
  {name: "90 % interval", by: row => row.low, show: row => `${row.low.toFixed(3)} to ${row.high.toFixed(3)} s`},
  {name: "tokens/s", by: row => row.tokens, show: row => grouped(row.tokens), down: true},
  {name: "MFU", by: row => row.mfu, show: row => percent(row.mfu), down: true},
  {name: "memory", by: row => row.gigabytes, show: row => row.gigabytes.toFixed(1) + " GB"},
  {name: "row", by: row => row.index},
  {name: "status", by: row => row.status,
   show: row => statusName(row.status) + (row.reason ? ": " + row.reason : ""), wide: true},
];
const rowsAtOnce = 100;

// Rows in the order of a column; those without a figure come last either way.
const sorted = (list, {column, down}) => {
  const by = columns[column].by;
  return list.map(row => [by(row), row]).sort(([a, rowA], [b, rowB]) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined) || rowA.index - rowB.index;
    return (down ? b - a : a - b) || rowA.index - rowB.index;
  }).map(([, row]) => row);
};

const tableHead = (order, choose) => {
  const line = document.createElement("tr");
  columns.forEach((column, i) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    const button = document.createElement("button");
    button.textContent = column.name + (order.column === i ? (order.down ? " ▾" : " ▴") : "");
    button.addEventListener("click", () => choose(i));
    if (order.column === i) cell.ariaSort = order.down ? "descending" : "ascending";
    if (column.wide) cell.className = "text";
    cell.append(button);
    line.append(cell);
  });
  return line;
};

const tableLine = row => {
  const line = document.createElement("tr");
  for (const column of columns) {
    const cell = document.createElement("td");
    const value = column.by(row);
    if (value !== undefined) cell.textContent = column.show ? column.show(row) : value;
    cell.dataset.label = column.name;
    if (column.wide) cell.className = row.status === 0 ? "text" : "text soft";
    line.append(cell);
  }
  return line;
};

const showRows = () => {
  const listed = rows.slice(0, page.listed);
  const note = document.getElementById("row-note");
  const more = document.createElement("button");
  document.getElementById("row-more").append(more);
  wholeTables.rows = () => [columns.map(column => column.name),
    ...sorted(listed.filter(passes), order).map(row => [...tableLine(row).cells].map(shownIn))];
  const order = {column: axes.length + 2, down: false};
  let filters = [];
  let shown = rowsAtOnce;
  const passes = row => filters.every(({select, of}) => select.value === "" || of(row) === Number(select.value));
  const refresh = () => {
    const passing = sorted(listed.filter(passes), order);
    document.getElementById("rows").replaceChildren(
      tableHead(order, choose), ...passing.slice(0, shown).map(tableLine));
    note.textContent = `${passing.length} of ${listed.length} rows` +
                       (passing.length > shown ? `, the first ${shown} shown` : "");
    more.hidden = passing.length <= shown;
    more.textContent = `show ${Math.min(10 * rowsAtOnce, passing.length - shown)} more`;
  };
  const choose = column => {
    order.down = order.column === column ? !order.down : Boolean(columns[column].down);
    order.column = column;
    refresh();
  };
  const filtered = () => {
    shown = rowsAtOnce;
    refresh();
  };
  const anyOf = names => [["", "any"], ...names.map((name, i) => [String(i), name])];
  filters = axes.map((one, i) => ({one, i})).filter(({one}) => one.values.length > 1 && one.values.length <= 500)
    .map(({one, i}) => ({select: addSelect("row-fields", one.name, anyOf(one.values), filtered),
                         of: row => choiceOf(row.index)[i]}));
  const status = addSelect("row-fields", "status", anyOf(page.statuses.map((_, i) => statusName(i))), filtered);
  if (listed.some(row => row.status === 0)) status.value = "0";
  filters.push({select: status, of: row => row.status});
  more.addEventListener("click", () => {
    shown += 10 * rowsAtOnce;
    refresh();
  });
  refresh();
};

showMaps();
showFronts();
showRows();
