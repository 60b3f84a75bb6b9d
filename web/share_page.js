// The charts of `simtrain share --report`.

const ownColour = ["#2f6fd6", "#6ea0f0"];
const othersColour = ["#c2384f", "#ef7f91"];

const rowAxis = (theme, rows) => ({
  ...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name), axisTick: {show: false},
  axisLabel: {color: theme.ink, fontSize: theme.narrow ? 11 : 13, width: theme.narrow ? 104 : 210, overflow: "truncate"},
});
const rowGrid = theme => ({left: theme.narrow ? 112 : 220, right: 62, top: 6, bottom: 44});

const drawSlower = jobs => draw("slower", 56 + 34 * jobs.length, theme => {
  const added = (job, seconds) => 100 * (seconds / job.alone_s - 1);
  const stroke = (params, api) => {
    const below = 8;
    const [x1, y1] = api.coord([api.value(0), api.value(2)]);
    const [x2] = api.coord([api.value(1), api.value(2)]);
    return {type: "line", shape: {x1, y1: y1 + below, x2, y2: y1 + below}, style: {stroke: theme.ink, lineWidth: 2}};
  };
  return {
    grid: rowGrid(theme),
    xAxis: {...axis(theme), type: "value", name: "longer than alone", nameLocation: "middle", nameGap: 26,
            axisLabel: {color: theme.soft, hideOverlap: true, formatter: "{value} %"}},
    yAxis: rowAxis(theme, jobs),
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, formatter: ([{dataIndex}]) => {
      const job = jobs[dataIndex];
      return `<b>${text(job.name)}</b><br>${seconds(job.alone_s)} alone<br>${seconds(job.together_s)} together, ` +
             `${seconds(job.least_s)} to ${seconds(job.most_s)}<br>${job.lost_gpus.toFixed(1)} GPUs lost`;
    }},
    series: [
      {type: "bar", barWidth: "60%", itemStyle: {color: theme.pick(othersColour)},
       data: jobs.map(job => added(job, job.together_s)),
       label: {show: true, position: "right", color: theme.ink, fontSize: 12, offset: [0, -3],
               formatter: ({value}) => percent(value)}},
      {type: "custom", silent: true, renderItem: stroke, encode: {x: [0, 1], y: 2},
       data: jobs.map((job, row) => [added(job, job.least_s), added(job, job.most_s), row])},
    ],
  };
});

const drawPlaces = places => draw("places", 56 + 30 * places.length, theme => {
  drawLegend("places-legend", [{background: theme.pick(othersColour), label: "lost by the others"},
                               {background: theme.pick(ownColour), label: "lost by the job"}], theme);
  const bar = (name, colour) => ({type: "bar", stack: "lost", barWidth: "60%", itemStyle: {color: theme.pick(colour)},
                                  data: places.map(place => place[name])});
  return {
    grid: rowGrid(theme),
    xAxis: {...axis(theme), type: "value", name: "GPUs lost", nameLocation: "middle", nameGap: 26,
            axisLabel: {color: theme.soft, hideOverlap: true}},
    yAxis: rowAxis(theme, places),
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, formatter: ([{dataIndex}]) => {
      const place = places[dataIndex];
      return `<b>${text(place.name)}</b><br>its step ${seconds(place.step_s)}<br>${place.own.toFixed(1)} GPUs lost by it, ` +
             `${place.others.toFixed(1)} by the others`;
    }},
    series: [bar("others", othersColour), bar("own", ownColour)],
  };
});

drawSlower(page.jobs);
if (page.places.length > 0) drawPlaces(page.places);
