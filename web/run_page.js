// The charts of `simtrain run --report`.

const drawWaterfall = ({losses, step_s, useful_s, peak_tflops}) => {
  const achieved = losses.length > 0 ? losses[losses.length - 1].to : 100;
  const rows = [
    {name: "peak", from: 0, to: 100, seconds: step_s,
     meaning: `${peak_tflops} TFLOP/s a GPU`, colour: ["#5a6575", "#a3afbf"], whole: true},
    ...losses.map(loss => ({...loss, seconds: -loss.seconds})),
    {name: "achieved (MFU)", from: 0, to: achieved, seconds: useful_s,
     meaning: "what the counted FLOPs take at the peak", colour: ["#1a7f4b", "#4cc38a"], whole: true},
  ];
  const label = row => row.whole
    ? percent(row.to) : (row.to <= row.from ? "" : "+") + percent(row.to - row.from);
  draw("waterfall", 30 + 26 * rows.length, theme => ({
    grid: {left: theme.narrow ? 132 : 172, right: 70, top: 6, bottom: 24},
    xAxis: {...axis(theme), type: "value", min: 0, max: 100, splitNumber: theme.narrow ? 2 : 5,
            axisLabel: {color: theme.soft, formatter: "{value} %"}},
    yAxis: {...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name),
            axisTick: {show: false},
            axisLabel: {color: theme.ink, fontSize: theme.narrow ? 11 : 13,
                        width: theme.narrow ? 124 : 164, overflow: "truncate"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              formatter: ([point]) => {
                const row = rows[point.dataIndex];
                return `<b>${text(row.name)}</b> ${label(row)} of the peak, ` +
                       `${seconds(row.seconds)} of the step<br>${text(row.meaning)}`;
              }},
    series: [
      {type: "bar", stack: "fall", silent: true, itemStyle: {color: "transparent"},
       data: rows.map(row => Math.min(row.from, row.to))},
      {type: "bar", stack: "fall", barWidth: "68%",
       data: rows.map(row => ({value: Math.abs(row.to - row.from),
                               itemStyle: {color: theme.pick(row.colour)}})),
       label: {show: true, position: "right", color: theme.ink, fontSize: 12,
               formatter: point => label(rows[point.dataIndex])}},
    ],
  }));
};

// Boxes are [stage, start, end, kind, micro-batch, chunk, name of a transfer], microseconds.
const kinds = [
  {name: "forward", colour: ["#2f6fd6", "#5b8fe6"]},
  {name: "backward", colour: ["#0f8a7c", "#3fbfae"]},
  {name: "deferred weight gradient", colour: ["#7a63c7", "#a893ea"]},
  {name: "optimizer", colour: ["#4f6b2f", "#9dbd76"]},
  {name: "data-parallel transfer", colour: ["#c85a12", "#f0955c"]},
];
const transferKind = 4;

const boxShape = (pipeline, theme) => (params, api) => {
  const [stage, start, end, kind, microBatch, chunk] = [0, 1, 2, 3, 4, 5].map(i => api.value(i));
  const [left, middle] = api.coord([start, stage]);
  const [right] = api.coord([end, stage]);
  const row = api.size([0, 1])[1];
  const transfer = kind === transferKind;
  const full = echarts.graphic.clipRectByRect(
    {x: left, width: Math.max(right - left - (right - left > 4 ? 1 : 0), 0.5),
     y: transfer ? middle + row * 0.38 : middle - row * 0.4, height: row * (transfer ? 0.1 : 0.76)},
    params.coordSys);
  if (!full) return null;
  const shade = transfer || pipeline.chunks < 2 ? 1 : 1 - 0.55 * chunk / (pipeline.chunks - 1);
  const roomy = !transfer && full.width > 7 * (String(microBatch).length + 0.5) && row > 14;
  return {
    type: "rect", shape: full,
    style: {fill: theme.pick(kinds[kind].colour), opacity: shade},
    textContent: roomy && kind < 3
      ? {style: {text: microBatch, fill: shade > 0.7 ? theme.paper : theme.ink, fontSize: 11}} : undefined,
    textConfig: {position: "inside"},
  };
};

const boxTip = (window, [stage, start, end, kind, microBatch, chunk, transfer]) => {
  const at = window.from_s + start * 1e-6;
  const what = transfer || kinds[kind].name;
  const which = kind < 3 ? `, micro-batch ${microBatch}, chunk ${chunk}` : "";
  return `<b>stage ${stage}: ${text(what)}</b>${which}<br>at ${seconds(at)} for ` +
         seconds((end - start) * 1e-6);
};

const drawWindow = (pipeline, window) => {
  const used = kinds.filter((_, kind) => window.boxes.some(box => box[3] === kind));
  const stages = [...Array(pipeline.stages).keys()];
  const length = Math.round((window.to_s - window.from_s) * 1e6);
  const row = Math.max(14, Math.min(40, 420 / pipeline.stages));
  draw("pipeline", 94 + row * pipeline.stages, theme => (drawLegend("pipeline-legend", used.map(({name, colour}) =>
    ({background: theme.pick(colour), label: name})), theme), {
    grid: {left: theme.narrow ? 30 : 60, right: 14, top: 8, bottom: 76},
    xAxis: {...axis(theme), type: "value", min: 0, max: length, splitNumber: theme.narrow ? 3 : 8,
            axisLabel: {color: theme.soft, hideOverlap: true,
                        formatter: value => timeLabel(window.from_s + value * 1e-6, length * 1e-6)}},
    yAxis: {...axis(theme), type: "category", inverse: true, data: stages,
            name: theme.narrow ? "" : "stage", nameLocation: "middle", nameGap: 34, splitLine: {show: false}, axisTick: {show: false}},
    dataZoom: [
      {type: "inside", filterMode: "weakFilter"},
      {type: "slider", filterMode: "weakFilter", height: 22, bottom: 12, showDetail: false,
       borderColor: theme.line, fillerColor: theme.line + "80", brushSelect: false,
       dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
       selectedDataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}}},
    ],
    tooltip: {...common(theme).tooltip, formatter: point => boxTip(window, point.data)},
    series: [
      {type: "custom", clip: true, progressive: 0, data: window.boxes, encode: {x: [1, 2], y: 0},
       renderItem: boxShape(pipeline, theme)},
    ],
  }), "canvas");
};

const stageColour = (stage, stages, theme) =>
  `hsl(${Math.round(360 * stage / stages)},${theme.pick(["60%,48%", "55%,58%"])})`;

const stageNames = stages => [...Array(stages).keys()].map(stage => `stage ${stage}`);
const stageItems = (stages, theme) => stageNames(stages).map((label, stage) =>
  ({background: stageColour(stage, stages, theme), label}));

const drawMemoryOverTime = (window, lines) => {
  const length = window.to_s - window.from_s;
  draw("memory-over-time", 236, theme => (drawLegend("memory-over-time-legend", stageItems(lines.length, theme), theme), {
    grid: {left: theme.narrow ? 56 : 60, right: 14, top: 10, bottom: 30},
    xAxis: {...axis(theme), type: "value", min: 0, max: length, splitNumber: theme.narrow ? 3 : 8,
            axisLabel: {color: theme.soft, hideOverlap: true,
                        formatter: value => timeLabel(window.from_s + value, length)}},
    yAxis: {...axis(theme), type: "value", scale: true,
            axisLabel: {color: theme.soft, formatter: "{value} GB"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "line"},
              formatter: points => `${seconds(window.from_s + points[0].value[0])}<br>` + points.map(point =>
                `${point.marker}${text(point.seriesName)}: ${point.value[1].toFixed(1)} GB`).join("<br>")},
    series: lines.map((gigabytes, stage) => ({
      type: "line", name: `stage ${stage}`, step: "end", showSymbol: false,
      lineStyle: {width: 1.5}, color: stageColour(stage, lines.length, theme),
      data: gigabytes.map((value, i) => [length * i / (gigabytes.length - 1), value]),
    })),
  }));
};

// What the charts of a window show, for those who cannot see or point at them.
const fillWindowTables = (pipeline, window, memory) => {
  const length = window.to_s - window.from_s;
  tableOfChart("passes-table", "of", stageNames(pipeline.stages), ["begins at", "takes", "what", "micro-batch", "chunk"],
    stage => window.boxes.filter(box => box[0] === stage).map(([, start, end, kind, microBatch, chunk, transfer]) => [
      seconds(window.from_s + start * 1e-6), seconds((end - start) * 1e-6), transfer || kinds[kind].name,
      ...(kind < 3 ? [microBatch, chunk] : ["", ""])]));
  tableOfChart("memory-over-time-table", "of", stageNames(memory.length), ["at", "allocated"],
    stage => memory[stage].map((gigabytes, i) => [
      seconds(window.from_s + length * i / (memory[stage].length - 1)), gigabytes.toFixed(1) + " GB"]));
};

const drawPipeline = (pipeline, memory) => {
  const buttons = document.getElementById("windows");
  const note = document.getElementById("window-note");
  const choose = window => {
    for (const button of buttons.children)
      button.setAttribute("aria-pressed", String(button.textContent === window.name));
    if (pipeline.windows.length > 1)
      note.textContent = `The step has ${pipeline.all_boxes} boxes; shown: ${window.name}, ` +
                         `${seconds(window.from_s)} to ${seconds(window.to_s)} of ` +
                         `${seconds(page.waterfall.step_s)}.`;
    drawWindow(pipeline, window);
    const lines = memory[pipeline.windows.indexOf(window)];
    drawMemoryOverTime(window, lines);
    fillWindowTables(pipeline, window, lines);
  };
  if (pipeline.windows.length > 1) {
    for (const window of pipeline.windows) {
      const button = document.createElement("button");
      button.textContent = window.name;
      button.addEventListener("click", () => choose(window));
      buttons.append(button);
    }
  }
  choose(pipeline.windows[0]);
};

const drawMemory = ({parts, capacity_gb}) => {
  const stages = parts[0].gb.map((_, stage) => String(stage));
  draw("memory", 296, theme => (drawLegend(
    "memory-legend", parts.map(({name, colour}) => ({background: theme.pick(colour), label: name})), theme), {
    grid: {left: 56, right: 14, top: 16, bottom: 40},
    xAxis: {...axis(theme), type: "category", data: stages, name: "stage", nameLocation: "middle", nameGap: 26},
    yAxis: {...axis(theme), type: "value", max: value => Math.max(value.max, capacity_gb) * 1.06,
            axisLabel: {color: theme.soft, formatter: value => Math.round(value) + " GB"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              valueFormatter: value => value.toFixed(1) + " GB"},
    series: parts.map((part, i) => ({
      type: "bar", stack: "memory", name: part.name, data: part.gb, barMaxWidth: 56,
      itemStyle: {color: theme.pick(part.colour)},
      markLine: i > 0 ? undefined : {
        symbol: "none", silent: true, lineStyle: {color: theme.ink, type: "dashed"},
        label: {color: theme.ink, position: "insideEndTop", formatter: `capacity ${capacity_gb.toFixed(1)} GB`},
        data: [{yAxis: capacity_gb}]},
    })),
  }));
};

const drawPower = ({interval_s, limit_w, gpus, mean_w, stage_w}) => {
  const length = interval_s * mean_w.length;
  const line = (name, watts, style) => ({
    type: "line", name, step: "end", showSymbol: false, ...style,
    data: [...watts, watts[watts.length - 1]].map((value, i) => [interval_s * i, value])});
  draw("power", 256, theme => (drawLegend("power-legend", [{background: theme.ink, label: "all GPUs"},
    ...(stage_w.length < 2 ? [] : stageItems(stage_w.length, theme))], theme), {
    grid: {left: theme.narrow ? 56 : 60, right: 14, top: 10, bottom: 30},
    xAxis: {...axis(theme), type: "value", min: 0, max: length, splitNumber: theme.narrow ? 3 : 8,
            axisLabel: {color: theme.soft, hideOverlap: true, formatter: value => timeLabel(value, length)}},
    yAxis: {...axis(theme), type: "value", min: 0, max: Math.ceil(limit_w / 100) * 100,
            axisLabel: {color: theme.soft, formatter: "{value} W"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "line"},
              formatter: points => `${seconds(points[0].value[0])}<br>` + points.map(point =>
                `${point.marker}${text(point.seriesName)}: ${point.value[1].toFixed(0)} W` +
                (point.seriesIndex > 0 ? "" : `, ${(point.value[1] * gpus / 1e3).toFixed(1)} kW in all`)).join("<br>")},
    series: [
      line("all GPUs", mean_w, {lineStyle: {width: 2.5}, color: theme.ink, z: 3,
        markLine: {symbol: "none", silent: true, lineStyle: {color: theme.ink, type: "dashed"},
                   label: {color: theme.ink, position: "insideEndBottom", formatter: `limit ${limit_w} W`},
                   data: [{yAxis: limit_w}]}}),
      ...(stage_w.length < 2 ? [] : stage_w.map((watts, stage) => line(`stage ${stage}`, watts,
        {lineStyle: {width: 1, opacity: 0.6}, color: stageColour(stage, stage_w.length, theme)}))),
    ],
  }));
};

const drawPlacement = ({hosts, gpus_of_host, ranks, all_ranks}, stages) => {
  const used = [...new Set(ranks.map(rank => rank[0]))].sort((a, b) => a - b);
  const column = new Map(used.map((host, i) => [host, i]));
  tableOfChart("placement-table", "on", used.map(host => hosts[host]), ["GPU", "rank", "TP", "CP", "DP", "PP"],
    i => ranks.filter(rank => rank[0] === used[i]).map(([, ...cells]) => cells));
  draw("placement", 70 + 22 * gpus_of_host, theme => ({
    grid: {left: theme.narrow ? 44 : 60, right: 14, top: 8, bottom: 44},
    xAxis: {...axis(theme), type: "category", data: used.map(host => hosts[host]),
            name: ranks.length < all_ranks ? `host; the first ${ranks.length} of ${all_ranks} ranks` : "host",
            nameLocation: "middle", nameGap: 28, axisLabel: {color: theme.soft, hideOverlap: true}},
    yAxis: {...axis(theme), type: "category", inverse: true,
            data: [...Array(gpus_of_host).keys()].map(gpu => "GPU " + gpu)},
    tooltip: {...common(theme).tooltip, formatter: ({data: [, gpu, rank, tp, cp, dp, pp, host]}) =>
      `<b>rank ${rank}</b> on ${text(hosts[host])} GPU ${gpu}<br>TP ${tp}, CP ${cp}, DP ${dp}, PP ${pp}`},
    series: [{
      type: "custom", progressive: 0, encode: {x: 0, y: 1},
      data: ranks.map(([host, ...rest]) => [column.get(host), ...rest, host]),
      renderItem: (params, api) => {
        const [x, y] = api.coord([api.value(0), api.value(1)]);
        const [width, height] = api.size([1, 1]);
        const gap = width > 6 ? 2 : 0;
        return {type: "rect", style: {fill: stageColour(api.value(6), stages, theme)},
                shape: {x: x - width / 2 + gap / 2, y: y - height / 2 + 1, width: width - gap, height: height - 2}};
      },
    }],
  }), "canvas");
};

if (page.job) drawJob(page.job);
drawWaterfall(page.waterfall);
drawPipeline(page.pipeline, page.memory_over_time);
drawMemory(page.memory);
drawPower(page.power);
drawPlacement(page.placement, page.pipeline.stages);
