// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
'use strict';

/** Numbers as text, and the axes of the charts: what report.js draws with. */
const axes = (() => {
  const LABEL_WIDTH = 58;
  const FONT = getComputedStyle(document.body).fontFamily;

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

  /** The decimals of all numbers of some lines: the rule of the tables, Figures.decimals. */
  function decimals(chart, lines) {
    const values = lines.flatMap(line => [...line.points, ...line.rounds].map(point => Math.abs(point[1]))).filter(value => value > 0);
    const smallest = values.length ? Math.min(...values) : 1;
    return smallest >= 1e4 ? 0 : chart.decimals + (smallest < 0.1 ? 2 : 0);
  }

  /** As short as an axis can have it. */
  function tick(value) {
    return value >= 1e3 ? grouped(value, 0) : String(+value.toPrecision(6));
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

  function positionAxis(colours, chart, lines, width) {
    const [low, high] = extent(lines, 0);
    const name = { nameLocation: 'middle', nameGap: 28 };
    if (chart.kind === 'percentiles') {
      const decades = [1, 2];
      for (let tail = 10; tail <= Math.max(high, 10) * 1.000001; tail *= 10) {
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
        axisLabel: { customValues: readable(sizes, width), formatter: size, hideOverlap: false },
      });
    }
    return axis(colours, {
      type: 'value', min: 0.5, max: high + 0.5, name: 'Round', ...name, splitLine: { show: false },
      axisTick: { customValues: rounds(high) }, axisLabel: { customValues: rounds(high) },
    });
  }

  /** Of ascending values on a logarithmic axis those that have room for a label; the first and the last among them. */
  function readable(values, width) {
    const position = value => width * Math.log(value / values[0]) / Math.log(values.at(-1) / values[0]);
    const shown = [values[0]];
    for (const value of values) {
      if (position(value) - position(shown.at(-1)) >= LABEL_WIDTH) {
        shown.push(value);
      }
    }
    while (shown.length > 1 && position(values.at(-1)) - position(shown.at(-1)) < LABEL_WIDTH) {
      shown.pop();
    }
    return values.length > 1 ? [...shown, values.at(-1)] : shown;
  }

  function rounds(last) {
    const step = Math.ceil(last / 20);
    return Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step);
  }

  return { FONT, axis, decimals, extent, grouped, percentile, positionAxis, size, tick, valueAxis };
})();
