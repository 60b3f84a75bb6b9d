// The charts of `simtrain tune --objectives --report`: the first objective against each other one.

const drawPlans = other => {
  const across = page.objectives[other];
  const points = front => page.plans.filter(plan => plan.front === front)
    .map(plan => ({value: [plan.figures[other], plan.figures[0]], plan}));
  const tip = ({data}) => data.plan === undefined ? "" : `<b>${text(data.plan.name)}</b>` +
    page.objectives.map((one, i) =>
      `<br>${one.name} ${Number(data.plan.figures[i].toPrecision(5))} ${one.unit}`).join("");
  const label = place => {
    const figure = apart(page.plans.map(plan => plan.figures[place]));
    return value => `${figure(value)} ${page.objectives[place].unit}`;
  };
  const id = `front-${other}`;
  const [pale, strong] = [["#8d98a8", "#74808f"], ["#c2410c", "#f08c55"]];
  draw(id, 350, theme => (drawLegend(`${id}-legend`, [
    {background: theme.pick(strong), label: "Pareto front"}, {background: theme.pick(pale), label: "other plans"}], theme), {
    grid: {left: 76, right: 18, top: 10, bottom: 48},
    xAxis: {...axis(theme), type: "value", scale: true, name: across.name, nameLocation: "middle",
            nameGap: 30, splitNumber: theme.narrow ? 3 : 8,
            axisLabel: {color: theme.soft, hideOverlap: true, formatter: label(other)}},
    yAxis: {...axis(theme), type: "value", scale: true, splitNumber: 6,
            axisLabel: {color: theme.soft, hideOverlap: true, formatter: label(0)}},
    tooltip: {...common(theme).tooltip, formatter: tip},
    series: [
      {type: "scatter", name: "other plans", symbolSize: 6, data: points(false),
       itemStyle: {color: theme.pick(pale), opacity: 0.6}},
      {type: "scatter", name: "Pareto front", symbolSize: 10, z: 3, data: points(true),
       itemStyle: {color: theme.pick(strong)}},
    ],
  }), "canvas");
};

page.objectives.slice(1).forEach((_, i) => drawPlans(i + 1));
