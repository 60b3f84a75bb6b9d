// The chart of `simtrain nccl --report`.

const drawCurves = ({predicted, measured}) => {
  const sizes = [...predicted.points.map(point => point.bytes),
                 ...measured.flatMap(curve => curve.points.map(point => point[0]))];
  draw("curves", 380, theme => {
    drawLegend("curves-legend", [{name: "predicted", ...predicted}, ...measured.map(curve => ({...curve, name: `measured: ${curve.name}`}))]
      .map(({name, colour}) => ({background: theme.pick(colour), label: name})), theme);
    return {
      grid: {left: 64, right: 18, top: 14, bottom: 48},
      xAxis: sizeAxis(theme, sizes),
      yAxis: {...axis(theme), type: "value", min: 0,
              axisLabel: {color: theme.soft, formatter: "{value} GB/s"}},
      tooltip: {...common(theme).tooltip, formatter: ({seriesName, data}) =>
        `<b>${text(sizeText(data.value[0]))}</b> ${text(seriesName)}<br>${data.value[1].toFixed(2)} GB/s` +
        (data.how ? `<br>${text(data.how)}` : "")},
      series: [
        {type: "line", name: "predicted", color: theme.pick(predicted.colour), symbolSize: 4, lineStyle: {width: 2},
         data: predicted.points.map(({bytes, gb_per_s, how}) => ({value: [bytes, gb_per_s], how}))},
        ...measured.map(({name, colour, points}) => ({
          type: "scatter", name: `measured: ${name}`, color: theme.pick(colour), symbol: "diamond", symbolSize: 11, z: 3,
          itemStyle: {opacity: 0.85, borderColor: theme.paper, borderWidth: 1}, data: points.map(value => ({value}))})),
      ],
    };
  });
};

drawCurves(page);
