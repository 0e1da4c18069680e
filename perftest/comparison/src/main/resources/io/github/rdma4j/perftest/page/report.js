// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
'use strict';

(() => {
  const { FONT, axis, decimals, extent, grouped, percentile, positionAxis, size, tick, valueAxis } = axes;
  const charts = JSON.parse(document.getElementById('data').textContent);
  const SYMBOLS = { 'java': 'circle', 'c': 'rect', 'tcp-java': 'triangle', 'tcp-c': 'diamond', 'other': 'roundRect', 'guide': 'none' };
  const DASHES = ['solid', [6, 4], [2, 3], [8, 3, 2, 3]];
  const EXPORT = { width: 720, height: 440, pixels: 3 };
  const PAPER = { width: 640, height: 280 };
  const SPAN_FOR_LOG = 8;
  const LABEL_HEIGHT = 15;

  // ---- colours: they have one home, the style sheet

  const probe = document.body.appendChild(document.createElement('span'));
  probe.hidden = true;

  function palette(scheme) {
    probe.style.colorScheme = scheme;
    const colour = name => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ['page', 'panel', 'text', 'faint', 'line', 'grid', 'java', 'c', 'tcp-java', 'tcp-c', 'other', 'guide'];
    return Object.fromEntries(names.map(name => [name, colour(name)]));
  }

  function scheme() {
    const chosen = document.documentElement.style.colorScheme;
    return chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }

  // ---- tooltips, made of nodes: what stands in them is never read as HTML

  function box(heading, rows) {
    const made = document.createElement('div');
    made.className = 'tip';
    made.appendChild(document.createElement('b')).textContent = heading;
    for (const { text, colour } of rows) {
      const row = made.appendChild(document.createElement('span'));
      row.textContent = text;
      row.style.color = colour;
    }
    return made;
  }

  function tooltip(colours, more) {
    return {
      confine: true, backgroundColor: colours.page, borderColor: colours.line,
      textStyle: { color: colours.text, fontFamily: FONT }, ...more,
    };
  }

  /** What stands in a line where the pointer is; of a percentile curve, what the percentile is. */
  function pointAt(chart, line, x) {
    if (chart.kind === 'percentiles' && line.complete) {
      return line.points.find(point => point[0] >= x * 0.999999);
    }
    return line.points.find(point => Math.abs(point[0] / x - 1) < 0.01);
  }

  function rowsAt(chart, lines, colours, x) {
    const rows = [];
    const places = decimals(chart, lines);
    const exact = value => grouped(value, places);
    for (const line of lines) {
      const point = pointAt(chart, line, x);
      if (point) {
        const values = line.rounds.filter(round => round[0] === point[0]).map(round => round[1]);
        const range = values.length ? ` (rounds: ${exact(Math.min(...values))} to ${exact(Math.max(...values))})` : '';
        rows.push({ text: `${line.name}: ${exact(point[1])} ${chart.unit}${range}`, colour: colours[line.party] });
      }
    }
    return rows;
  }

  function where(chart, x) {
    switch (chart.kind) {
      case 'percentiles': return percentile(x);
      case 'rounds': return 'Round ' + x;
      default: return size(x);
    }
  }

  // ---- charts

  /** A curve of many points has its mark at 50, 90, 99 % and so on, and at its end. */
  function marked(points) {
    const step = tail => tail < 10 ? (tail < 2 ? 1 : 2) : 10 ** Math.floor(Math.log10(tail * 1.0001));
    return points.map((point, index) => {
      const reached = index > 0 && step(points[index - 1][0]) < step(point[0]);
      return { value: point, symbolSize: reached || index === points.length - 1 ? 7 : 0 };
    });
  }

  function series(chart, line, colours, log, labels) {
    const colour = colours[line.party];
    const visible = point => !log || point[1] > 0;
    const curve = chart.kind === 'percentiles' && line.complete;
    const width = chart.kind === 'rounds' ? 1 : line.party.startsWith('tcp') || line.party === 'guide' ? 1.5 : 2.2;
    const guide = line.party === 'guide';
    const main = {
      type: 'line', name: line.name, color: colour, animation: false, z: 3,
      data: curve ? marked(line.points.filter(visible)) : line.points.filter(visible),
      symbol: SYMBOLS[line.party], symbolSize: curve ? 7 : 8, showSymbol: true, showAllSymbol: true,
      itemStyle: { color: colour },
      emphasis: { scale: 1.4, lineStyle: { width } },
      lineStyle: {
        color: colour,
        width,
        opacity: line.complete ? 1 : 0.55,
        type: line.complete || chart.kind === 'rounds' ? DASHES[line.variant % DASHES.length] : [4, 4],
      },
      endLabel: { show: labels && !guide, formatter: '{a}', color: colour, fontFamily: FONT, fontSize: 12, fontWeight: 600, distance: 6 },
    };
    const single = {
      type: 'scatter', name: line.name, color: colour, animation: false, z: 2, symbol: SYMBOLS[line.party], symbolSize: 4,
      itemStyle: { color: colour, opacity: 0.4 },
      data: line.rounds.filter(visible), tooltip: { show: false },
    };
    return line.rounds.length ? [main, single] : [main];
  }

  function textWidth(text) {
    const context = textWidth.context ??= document.createElement('canvas').getContext('2d');
    context.font = `600 12px ${FONT}`;
    return context.measureText(text).width;
  }

  const LEGEND = { item: 26, gap: 14, row: 20 };

  /** How many more rows than one the legend has. */
  function moreRows(lines, width) {
    let rows = 0;
    let used = 0;
    for (const line of lines) {
      const needed = LEGEND.item + 5 + textWidth(line.name) + LEGEND.gap;
      if (used > 0 && used + needed > width) {
        rows++;
        used = 0;
      }
      used += needed;
    }
    return rows;
  }

  function legend(lines, colours) {
    return {
      // A guide has no marks, in the legend neither.
      data: lines.map(line => line.party === 'guide' ? { name: line.name, itemStyle: { opacity: 0 } } : line.name), type: 'plain', top: 0, left: 0, itemWidth: LEGEND.item, itemHeight: 10, itemGap: LEGEND.gap, selectedMode: lines.length > 1,
      textStyle: { color: colours.text, fontFamily: FONT, fontSize: 12 }, inactiveColor: colours.line,
    };
  }

  function lineOption(chart, lines, colours, state) {
    const widest = Math.max(...lines.filter(line => line.party !== 'guide').map(line => textWidth(line.name)));
    const labels = widest <= state.width * 0.2;
    return {
      grid: { left: 8, right: labels ? widest + 14 : 18, top: 52 + LEGEND.row * moreRows(lines, state.width), bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: positionAxis(colours, chart, lines, state.width - (labels ? widest : 0) - 80),
      yAxis: valueAxis(colours, chart, lines, state.log),
      tooltip: tooltip(colours, {
        trigger: 'axis', axisPointer: { type: 'line', snap: true, label: { show: false }, lineStyle: { color: colours.faint } },
        formatter: items => box(where(chart, items[0].axisValue), rowsAt(chart, lines, colours, items[0].axisValue)),
      }),
      legend: legend(lines, colours),
      series: lines.flatMap(line => series(chart, line, colours, state.log, labels)),
    };
  }

  /** One bar for each size of each line, by size. */
  function barsOf(lines) {
    const sizes = [...new Set(lines.flatMap(line => line.points.map(point => point[0])))].sort((a, b) => a - b);
    return sizes.flatMap(bytes => lines.flatMap(line => line.points.filter(point => point[0] === bytes)
      .map(point => ({ line, bytes, value: point[1], name: sizes.length > 1 ? `${line.name}, ${size(bytes)}` : line.name }))));
  }

  function barOption(chart, lines, colours, state) {
    const bars = barsOf(lines);
    const single = bars.flatMap((bar, index) => bar.line.rounds.filter(point => point[0] === bar.bytes)
      .map(point => [point[1], index]));
    // The number stands behind the bar and behind the marks of its rounds.
    const ends = bars.map((bar, index) => [Math.max(bar.value, ...single.filter(mark => mark[1] === index).map(mark => mark[0])), index]);
    const places = decimals(chart, lines);
    return {
      grid: { left: 8, right: 72, top: 8, bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      yAxis: axis(colours, {
        type: 'category', inverse: true, data: bars.map(bar => bar.name), splitLine: { show: false },
        axisTick: { show: false },
        axisLabel: {
          color: colours.text, width: state.width * 0.3, overflow: 'break', lineHeight: 14, hideOverlap: false, interval: 0,
        },
      }),
      xAxis: axis(colours, {
        type: 'value', min: 0, name: chart.unit, nameLocation: 'middle', nameGap: 28, axisLabel: { formatter: tick },
      }),
      tooltip: tooltip(colours, {
        trigger: 'axis', axisPointer: { type: 'shadow' },
        formatter: items => {
          const bar = bars[items[0].dataIndex];
          return box(where(chart, bar.bytes), rowsAt(chart, [bar.line], colours, bar.bytes));
        },
      }),
      series: [{
        type: 'bar', animation: false, barMaxWidth: 22,
        data: bars.map(bar => ({ value: bar.value, itemStyle: { color: colours[bar.line.party], opacity: 0.85 } })),
      }, {
        type: 'scatter', animation: false, symbol: 'rect', symbolSize: [2, 12], itemStyle: { color: colours.text, opacity: 0.6 },
        data: single, tooltip: { show: false },
      }, {
        type: 'scatter', animation: false, symbol: 'rect', symbolSize: [2, 12], itemStyle: { color: 'transparent' }, silent: true,
        label: { show: true, position: 'right', color: colours.text, fontFamily: FONT, fontSize: 12, distance: 8,
          formatter: item => grouped(bars[item.dataIndex].value, places) },
        data: ends, tooltip: { show: false },
      }],
    };
  }

  /** What nobody measured: limits and predictions, as lines of a party of their own. Bars stay alone. */
  function guides(chart) {
    return chart.kind === 'bars' ? [] : chart.guides.map((guide, index) => (
      { ...guide, party: 'guide', variant: index + 1, complete: true, rounds: [] }));
  }

  function option(chart, state, colours) {
    const lines = [...chart.panels[state.panel].lines, ...guides(chart)];
    const drawn = chart.kind === 'bars' ? barOption(chart, lines, colours, state) : lineOption(chart, lines, colours, state);
    return { animation: false, textStyle: { fontFamily: FONT }, ...drawn };
  }

  /** Draws, and moves the names at the ends of the lines apart. */
  function show(drawing, drawn) {
    drawing.setOption(drawn, true);
    const labels = drawn.series.flatMap((line, index) => line.endLabel?.show && line.data.length
      ? [{ line, y: drawing.convertToPixel({ seriesIndex: index }, line.data.at(-1).value ?? line.data.at(-1))[1] }]
      : []);
    labels.sort((a, b) => a.y - b.y);
    let moved = labels.map(label => label.y);
    for (let i = 1; i < moved.length; i++) {
      moved[i] = Math.max(moved[i], moved[i - 1] + LABEL_HEIGHT);
    }
    const bottom = drawing.getHeight() - drawn.grid.bottom - LABEL_HEIGHT;
    for (let i = moved.length - 1, limit = bottom; i >= 0; i--, limit -= LABEL_HEIGHT) {
      moved[i] = Math.min(moved[i], limit);
    }
    labels.forEach(({ line, y }, i) => line.endLabel.offset = [0, moved[i] - y]);
    if (labels.length) {
      drawing.setOption(drawn, true);
    }
  }

  const shown = charts.map((chart, number) => {
    const element = document.getElementById('chart-' + number);
    element.replaceChildren();
    if (chart.kind === 'bars') {
      element.style.height = 3.5 + 2 * Math.max(...chart.panels.map(panel => barsOf(panel.lines).length)) + 'rem';
    }
    const [low, high] = extent([...chart.panels.flatMap(panel => panel.lines), ...guides(chart)], 1);
    const log = chart.kind !== 'bars' && low > 0 && high / low > SPAN_FOR_LOG;
    return { chart, number, element, state: { panel: 0, log }, drawing: echarts.init(element, null, { renderer: 'svg' }) };
  });

  /** A sheet of paper has a size and colours of its own, and is not laid out yet when the browser asks for it. */
  function draw(entry, printed) {
    entry.drawing.resize(printed && { ...PAPER, height: Math.min(PAPER.height, entry.element.clientHeight) });
    entry.state.width = entry.drawing.getWidth();
    show(entry.drawing, option(entry.chart, entry.state, palette(printed ? 'light' : scheme())));
    const button = document.querySelector(`button[data-chart="${entry.number}"][data-do="scale"]`);
    button?.setAttribute('aria-pressed', String(entry.state.log));
  }

  function drawAll(printed) {
    shown.forEach(entry => draw(entry, printed));
  }

  // ---- files: drawn again, always light and of one size, with their title

  function picture(entry, renderer) {
    const colours = { ...palette('light'), page: '#fff' };
    const state = { ...entry.state, width: EXPORT.width };
    const box = document.createElement('div');
    const height = entry.chart.kind === 'bars' ? entry.drawing.getHeight() + 60 : EXPORT.height;
    const drawing = echarts.init(box, null, { renderer, width: EXPORT.width, height, devicePixelRatio: EXPORT.pixels });
    const drawn = option(entry.chart, state, colours);
    const panel = entry.chart.panels[state.panel].label;
    const chapter = entry.element.closest('section').querySelector('h2').textContent;
    drawn.title = {
      text: `${chapter}: ${entry.chart.title} (${panel})`, left: 8, top: 6,
      textStyle: { color: colours.text, fontFamily: FONT, fontSize: 14 },
    };
    if (drawn.legend) {
      drawn.legend = { ...drawn.legend, top: 34, left: 6 };
    }
    drawn.grid = { ...drawn.grid, top: drawn.legend ? drawn.grid.top + 36 : 44, left: 14, bottom: 38 };
    drawn.backgroundColor = colours.page;
    show(drawing, drawn);
    return { drawing, name: `${chapter} ${entry.chart.title} ${panel}`.toLowerCase().replace(/[^a-z0-9.]+/g, '-') };
  }

  function save(href, name) {
    const link = document.createElement('a');
    link.href = href;
    link.download = name;
    link.click();
  }

  const actions = {
    scale(entry) {
      entry.state.log = !entry.state.log;
      draw(entry);
    },
    svg(entry) {
      const { drawing, name } = picture(entry, 'svg');
      const address = URL.createObjectURL(new Blob([drawing.renderToSVGString()], { type: 'image/svg+xml' }));
      save(address, name + '.svg');
      URL.revokeObjectURL(address);
      drawing.dispose();
    },
    png(entry) {
      const { drawing, name } = picture(entry, 'canvas');
      save(drawing.getDataURL({ type: 'png', pixelRatio: EXPORT.pixels, backgroundColor: '#fff' }), name + '.png');
      drawing.dispose();
    },
  };

  document.addEventListener('click', event => {
    const button = event.target.closest('button[data-do]');
    if (button) {
      actions[button.dataset.do](shown[button.dataset.chart]);
    }
  });
  document.addEventListener('change', event => {
    if (event.target.dataset.chart) {
      const entry = shown[event.target.dataset.chart];
      entry.state.panel = event.target.selectedIndex;
      draw(entry);
    }
  });
  const button = document.getElementById('scheme');
  button.hidden = false;
  button.addEventListener('click', () => {
    document.documentElement.style.colorScheme = scheme() === 'dark' ? 'light' : 'dark';
    drawAll();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawAll());
  addEventListener('resize', () => drawAll());
  addEventListener('beforeprint', () => drawAll(true));
  addEventListener('afterprint', () => drawAll());
  drawAll();
})();
