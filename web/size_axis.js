// Axes of bytes, on the pages `nccl` and `nccl-validation`.

const sizeText = bytes => {
  const [unit, name] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]].find(([size]) => bytes >= size);
  return short(bytes / unit) + " " + name;
};

// Powers of two from the least to the largest of `sizes`, a tick at every fourth.
const sizeAxis = (theme, sizes) => {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const ticks = [];
  for (let size = 1; size <= most; size *= 16) if (size >= least) ticks.push(size);
  return {...axis(theme), type: "log", logBase: 2, min: least, max: Math.max(most, least * 2),
          name: "size of the call", nameLocation: "middle", nameGap: 28,
          axisTick: {customValues: ticks, lineStyle: {color: theme.line}}, splitLine: {show: false},
          axisLabel: {color: theme.soft, hideOverlap: true, customValues: ticks, formatter: sizeText}};
};
