// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
'use strict';

(() => {
  const charts = JSON.parse(document.getElementById('data').textContent);
  const SYMBOLS = { 'java': 'circle', 'c': 'rect', 'tcp-java': 'triangle', 'tcp-c': 'diamond', 'other': 'roundRect' };
  const DASHES = ['solid', [6, 4], [2, 3], [8, 3, 2, 3]];
  const FONT = getComputedStyle(document.body).fontFamily;
  const EXPORT = { width: 720, height: 440, pixels: 3 };
  const SPAN_FOR_LOG = 8;

  // ---- colours: they have one home, the style sheet

  const probe = document.body.appendChild(document.createElement('span'));
  probe.hidden = true;

  function palette(scheme) {
    probe.style.colorScheme = scheme;
    const colour = name => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ['page', 'panel', 'text', 'faint', 'line', 'grid', 'java', 'c', 'tcp-java', 'tcp-c', 'other'];
    return Object.fromEntries(names.map(name => [name, colour(name)]));
  }

  function scheme() {
    const chosen = document.documentElement.style.colorScheme;
    return chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }

  // ---- numbers

  function size(bytes) {
    const units = ['B', 'KiB', 'MiB', 'GiB'];
    let unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 === 0) {
      bytes /= 1024;
      unit++;
    }
    return bytes + '\u00a0' + units[unit];
  }

  function percentile(tail) {
    if (tail <= 1) {
      return '0 %';
    }
    const percent = 100 - 100 / tail;
    return percent.toFixed(Math.max(0, Math.ceil(Math.log10(tail) - 2 - 1e-9)) + (Number.isInteger(Math.log10(tail)) ? 0 : 2))
      .replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') + ' %';
  }

  function grouped(value, decimals) {
    return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
      .replaceAll(',', '\u202f');
  }

  function exact(value) {
    return grouped(value, value >= 1e4 ? 0 : value >= 1 ? 2 : 4);
  }

  /** As short as an axis can have it. */
  function tick(value) {
    if (value >= 1e6) {
      return +(value / 1e6).toPrecision(4) + '\u00a0M';
    }
    return value >= 1e4 ? grouped(value, 0) : String(+value.toPrecision(6));
  }

  // ---- axes

  function extent(lines, index) {
    const values = lines.flatMap(line => [...line.points, ...line.rounds].map(point => point[index]));
    return [Math.min(...values), Math.max(...values)];
  }

  /** 1, 2, 5, 10, 20, … from below the smallest to above the largest. */
  function steps(low, high) {
    const values = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const digit of [1, 2, 5]) {
        values.push(+(digit * 10 ** power).toPrecision(1));
      }
    }
    const first = values.findLastIndex(value => value <= low * (1 + 1e-9));
    const last = values.findIndex(value => value >= high * (1 - 1e-9));
    return values.slice(Math.max(first, 0), last + 1);
  }

  function labelled(values) {
    const decades = values.filter(value => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9);
    return values.length > 7 && decades.length > 2 ? decades : values;
  }

  function axis(colours, more) {
    return {
      nameTextStyle: { color: colours.faint, fontFamily: FONT, fontSize: 12 },
      axisLine: { show: true, lineStyle: { color: colours.line } },
      axisTick: { show: true, lineStyle: { color: colours.line } },
      splitLine: { show: true, lineStyle: { color: colours.grid } },
      ...more,
      axisLabel: { color: colours.faint, fontFamily: FONT, fontSize: 12, hideOverlap: true, ...more.axisLabel },
    };
  }

  function logAxis(colours, low, high, more) {
    const values = steps(low, high);
    const shown = labelled(values);
    return axis(colours, {
      type: 'log', min: values[0], max: values.at(-1), ...more,
      axisTick: { customValues: shown, lineStyle: { color: colours.line } },
      axisLabel: { customValues: shown, formatter: tick, ...more.axisLabel },
    });
  }

  function valueAxis(colours, chart, lines, log) {
    const [low, high] = extent(lines, 1);
    const name = { name: chart.unit, nameGap: 12, nameLocation: 'end', nameTextStyle: { align: 'left', color: colours.faint } };
    if (log) {
      return logAxis(colours, low, high, name);
    }
    const more = { type: 'value', min: 0, axisLabel: { formatter: tick }, ...name };
    if (chart.kind === 'rounds') {
      // Points, not lengths: what matters is how far they lie apart.
      more.min = range => range.min - 0.15 * (range.max - range.min);
      more.max = range => range.max + 0.15 * (range.max - range.min);
      more.axisLabel = { formatter: value => tick(value), showMinLabel: false, showMaxLabel: false };
    }
    return axis(colours, more);
  }

  function positionAxis(colours, chart, lines) {
    const [low, high] = extent(lines, 0);
    const name = { nameLocation: 'middle', nameGap: 28 };
    if (chart.kind === 'percentiles') {
      const decades = [];
      for (let tail = 1; tail <= Math.max(high, 10) * 1.000001; tail *= 10) {
        decades.push(tail);
      }
      return axis(colours, {
        type: 'log', min: 1, max: Math.max(high, 10), name: 'Percentile', ...name,
        axisTick: { customValues: decades, lineStyle: { color: colours.line } },
        axisLabel: { customValues: decades, formatter: percentile },
      });
    }
    if (chart.kind === 'sizes') {
      const sizes = [...new Set(lines.flatMap(line => line.points.map(point => point[0])))].sort((a, b) => a - b);
      return axis(colours, {
        type: 'log', logBase: 2, min: low, max: high, name: 'Message size', ...name,
        splitLine: { show: false },
        axisTick: { customValues: sizes, lineStyle: { color: colours.line } },
        axisLabel: { customValues: sizes, formatter: size },
      });
    }
    return axis(colours, {
      type: 'value', min: 0.5, max: high + 0.5, name: 'Round', ...name, splitLine: { show: false },
      axisTick: { customValues: rounds(high) }, axisLabel: { customValues: rounds(high) },
    });
  }

  function rounds(last) {
    const step = Math.ceil(last / 20);
    return Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step);
  }

  // ---- tooltips, made of nodes: what stands in them is never read as HTML

  function tooltip(colours, heading) {
    return {
      trigger: 'item', confine: true, backgroundColor: colours.page, borderColor: colours.line,
      textStyle: { color: colours.text, fontFamily: FONT },
      formatter: item => {
        const box = document.createElement('div');
        box.className = 'tip';
        const title = box.appendChild(document.createElement('b'));
        title.style.color = item.data.colour;
        title.textContent = item.seriesName;
        for (const text of heading(item)) {
          box.appendChild(document.createElement('span')).textContent = text;
        }
        return box;
      },
    };
  }

  function where(chart, x) {
    switch (chart.kind) {
      case 'percentiles': return 'at ' + percentile(x);
      case 'rounds': return 'in round ' + x;
      default: return 'with ' + size(x);
    }
  }

  // ---- charts

  function series(chart, line, colours, log, labels) {
    const colour = colours[line.party];
    const visible = point => !log || point[1] > 0;
    const item = point => ({ value: point, colour, text: [exact(point[1]) + ' ' + chart.unit, where(chart, point[0])] });
    const curve = chart.kind === 'percentiles' && line.complete;
    const main = {
      type: 'line', name: line.name, color: colour, animation: false, z: 3,
      data: line.points.filter(visible).map(item),
      symbol: SYMBOLS[line.party], symbolSize: curve ? 4 : 8, showSymbol: true, showAllSymbol: true,
      itemStyle: { color: colour, opacity: curve ? 0 : 1 },
      emphasis: { scale: 1.4, itemStyle: { opacity: 1 }, lineStyle: { width: curve ? 3 : 2 } },
      lineStyle: {
        color: colour,
        width: chart.kind === 'rounds' ? 1 : 2,
        opacity: line.complete ? 1 : 0.55,
        type: line.complete || chart.kind === 'rounds' ? DASHES[line.variant % DASHES.length] : [4, 4],
      },
      endLabel: { show: labels, formatter: '{a}', color: colour, fontFamily: FONT, fontSize: 12, fontWeight: 600, distance: 6 },
      labelLayout: { moveOverlap: 'shiftY' },
    };
    const single = {
      type: 'scatter', name: line.name, color: colour, animation: false, z: 2, symbol: SYMBOLS[line.party], symbolSize: 4,
      itemStyle: { color: colour, opacity: 0.4 },
      data: line.rounds.filter(visible).map(point => {
        const made = item(point);
        made.text.push('one round');
        return made;
      }),
    };
    return line.rounds.length ? [main, single] : [main];
  }

  function textWidth(text) {
    const context = textWidth.context ??= document.createElement('canvas').getContext('2d');
    context.font = `600 12px ${FONT}`;
    return context.measureText(text).width;
  }

  function legend(lines, colours, bars) {
    return {
      data: lines.map(line => ({ name: line.name, icon: bars ? 'rect' : undefined })),
      type: 'plain', top: 0, left: 0, itemWidth: bars ? 12 : 26, itemHeight: 10, itemGap: 14, selectedMode: lines.length > 1,
      textStyle: { color: colours.text, fontFamily: FONT, fontSize: 12 }, inactiveColor: colours.line,
    };
  }

  function lineOption(chart, lines, colours, state) {
    const widest = Math.max(...lines.map(line => textWidth(line.name)));
    const labels = widest <= state.width * 0.2;
    return {
      grid: { left: 8, right: labels ? widest + 14 : 18, top: 52, bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: positionAxis(colours, chart, lines),
      yAxis: valueAxis(colours, chart, lines, state.log),
      tooltip: tooltip(colours, item => item.data.text),
      legend: legend(lines, colours, false),
      series: lines.flatMap(line => series(chart, line, colours, state.log, labels)),
    };
  }

  function barOption(chart, lines, colours) {
    const sizes = [...new Set(lines.flatMap(line => line.points.map(point => point[0])))].sort((a, b) => a - b);
    return {
      grid: { left: 8, right: 64, top: 40, bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      yAxis: axis(colours, {
        type: 'category', inverse: true, data: sizes.map(size), splitLine: { show: false }, axisTick: { show: false },
      }),
      xAxis: axis(colours, {
        type: 'value', min: 0, name: chart.unit, nameLocation: 'middle', nameGap: 28, axisLabel: { formatter: tick },
      }),
      tooltip: tooltip(colours, item => item.data.text),
      legend: legend(lines, colours, true),
      series: lines.map(line => ({
        type: 'bar', name: line.name, color: colours[line.party], animation: false, barMaxWidth: 28, barGap: '15%',
        label: {
          show: true, position: 'right', color: colours.text, fontFamily: FONT, fontSize: 12,
          formatter: item => exact(item.data.value),
        },
        data: sizes.map(bytes => {
          const point = line.points.find(candidate => candidate[0] === bytes);
          if (!point) {
            return null;
          }
          const values = line.rounds.filter(candidate => candidate[0] === bytes).map(candidate => candidate[1]);
          const text = [exact(point[1]) + ' ' + chart.unit, where(chart, bytes)];
          if (values.length) {
            text.push(`rounds: ${exact(Math.min(...values))} to ${exact(Math.max(...values))}`);
          }
          return { value: point[1], colour: colours[line.party], text };
        }),
      })),
    };
  }

  function option(chart, state, colours) {
    const lines = chart.panels[state.panel].lines;
    const drawn = chart.kind === 'bars' ? barOption(chart, lines, colours) : lineOption(chart, lines, colours, state);
    return { animation: false, textStyle: { fontFamily: FONT }, ...drawn };
  }

  const shown = charts.map((chart, number) => {
    const element = document.getElementById('chart-' + number);
    element.replaceChildren();
    const [low, high] = extent(chart.panels.flatMap(panel => panel.lines), 1);
    const log = (chart.kind === 'percentiles' || chart.kind === 'sizes') && low > 0 && high / low > SPAN_FOR_LOG;
    return { chart, number, element, state: { panel: 0, log }, drawing: echarts.init(element, null, { renderer: 'svg' }) };
  });

  function draw(entry, forced) {
    entry.drawing.resize();
    entry.state.width = entry.drawing.getWidth();
    entry.drawing.setOption(option(entry.chart, entry.state, palette(forced ?? scheme())), true);
    const button = document.querySelector(`button[data-chart="${entry.number}"][data-do="scale"]`);
    button?.setAttribute('aria-pressed', String(entry.state.log));
  }

  function drawAll(forced) {
    shown.forEach(entry => draw(entry, forced));
  }

  // ---- files: drawn anew, always light and of one size, with their title

  function picture(entry, renderer) {
    const colours = { ...palette('light'), page: '#fff' };
    const state = { ...entry.state, width: EXPORT.width };
    const box = document.createElement('div');
    const drawing = echarts.init(box, null, { renderer, width: EXPORT.width, height: EXPORT.height, devicePixelRatio: EXPORT.pixels });
    const drawn = option(entry.chart, state, colours);
    const panel = entry.chart.panels[state.panel].label;
    const chapter = entry.element.closest('section').querySelector('h2').textContent;
    drawn.title = {
      text: `${chapter}: ${entry.chart.title} (${panel})`, left: 8, top: 6,
      textStyle: { color: colours.text, fontFamily: FONT, fontSize: 14 },
    };
    drawn.legend = { ...drawn.legend, top: 34, left: 6 };
    drawn.grid = { ...drawn.grid, top: 88, left: 14, bottom: 38 };
    drawn.backgroundColor = colours.page;
    drawing.setOption(drawn);
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
  addEventListener('beforeprint', () => drawAll('light'));
  addEventListener('afterprint', () => drawAll());
  drawAll();
})();
