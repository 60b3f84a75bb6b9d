// The charts of `simtrain tune --report`.

const betterWorse = [["#1a7f4b", "#4cc38a"], ["#b42318", "#ff8579"]];

// Bars to the left and right of 0: rows are {name, value, tip, faint}.
const drawDiverging = (id, rows, unit) => {
  const most = rows.reduce((far, row) => Math.max(far, Math.abs(row.value)), 0) || 1;
  const digits = Math.min(Math.max(2 - Math.floor(Math.log10(most)), 0), 9);
  const label = value => {
    const shown = Number(value.toFixed(digits));
    return `${shown > 0 ? "+" : ""}${shown === 0 ? 0 : value.toFixed(digits)} ${unit}`;
  };
  const room = theme => (theme.narrow ? 2.2 : 1.3);
  draw(id, 40 + 26 * rows.length, theme => ({
    grid: {left: theme.narrow ? 132 : 190, right: 18, top: 6, bottom: 26},
    xAxis: {...axis(theme), type: "value", min: -room(theme) * most, max: room(theme) * most,
            axisLabel: {color: theme.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false,
                        formatter: value => `${Number(value.toPrecision(3))} ${unit}`}},
    yAxis: {...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name),
            axisTick: {show: false}, axisLine: {onZero: false, lineStyle: {color: theme.line}},
            axisLabel: {color: theme.ink, fontSize: theme.narrow ? 11 : 13,
                        width: theme.narrow ? 124 : 180, overflow: "truncate"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              formatter: ([point]) => rows[point.dataIndex].tip},
    series: [{
      type: "bar", barWidth: "64%",
      data: rows.map(({value, faint}) => ({
        value, label: {position: value < 0 ? "left" : "right", opacity: 1},
        itemStyle: {color: theme.pick(betterWorse[value > 0 ? 1 : 0]), opacity: faint ? 0.35 : 1},
      })),
      label: {show: true, color: theme.ink, fontSize: 12, formatter: point => label(rows[point.dataIndex].value)},
    }],
  }));
};

const drawDifferences = (differences, unit) => {
  if (differences.length === 0) return;
  const step = differences[differences.length - 1];
  const shares = differences.slice(0, -1)
    .sort((a, b) => Math.abs(b.first - b.second) - Math.abs(a.first - a.second));
  drawDiverging("difference", [step, ...shares].map(({name, first, second}) => ({
    name: name === "step" ? "whole step" : name, value: first - second,
    tip: `<b>${text(name)}</b><br>first ${Number(first.toPrecision(5))} ${unit}<br>` +
         `second ${Number(second.toPrecision(5))} ${unit}`,
  })), unit);
};

const drawSteps = steps => {
  if (steps.length === 0) return;
  drawDiverging("steps", steps.map(({name, change, step_s, gigabytes, fits}) => ({
    name, value: 100 * change, faint: !fits,
    tip: `<b>${text(name)}</b><br>${seconds(step_s)}, ${gigabytes.toFixed(1)} GB${fits ? "" : ": does not fit"}`,
  })), "%");
};

drawShareBars("shares", page.shares);
drawDifferences(page.differences, page.shares.unit);
drawSteps(page.steps);
