import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resultFiles } from '../paths.js';
import { type ComparisonResults, ComparisonResultsSchema, type Summary } from './comparison-results.js';
import { drawChart } from './draw-chart.js';

function summary(target: string, connections: number, requestsPerSecond: number): Summary {
  return {
    target,
    connections,
    requestsPerSecond,
    p50Ms: 1,
    p99Ms: 2,
    slowestRequestsPerSecond: requestsPerSecond,
    fastestRequestsPerSecond: requestsPerSecond,
    ratioToPlantStore: null,
    errors: 0,
    peakMemoryBytes: 1,
    valid: true,
  };
}

const results: ComparisonResults = {
  machine: {
    date: '2026-01-02T03:04:05.000Z',
    command: 'pnpm bench',
    cpu: 'Some <CPU> & more',
    cores: 2,
    memoryBytes: 2 ** 33,
    system: 'linux',
    node: 'v20.19.0',
    fileSystem: 'ext4',
    syncMs: 0.2,
    loadBefore: 0,
  },
  database: 'SQLite 3',
  settings: { rounds: 3, seconds: 5, warmupSeconds: 1, connections: [1, 64] },
  targets: [
    { name: 'plant-store', title: 'Plant Store', about: '', stores: true },
    { name: 'other', title: 'Another', about: '', stores: true },
    { name: 'baseline', title: 'The baseline', about: '', stores: false },
  ],
  summaries: [
    summary('plant-store', 1, 2000),
    summary('other', 1, 1000),
    summary('plant-store', 64, 12345.6),
    { ...summary('other', 64, 1500), valid: false },
    summary('baseline', 64, 30_000),
  ],
  runs: [],
};

const svg = drawChart(results);

describe('the chart', () => {
  it('has a title, an axis, a heading for each number of connections and the machine', () => {
    for (const text of [
      'Creates per second',
      '>requests/s<',
      '>30,000<',
      '>1 connection<',
      '>64 connections<',
    ]) {
      expect(svg).toContain(text);
    }
    expect(svg).toContain('Some &lt;CPU&gt; &amp; more, 2 cores, 8 GiB');
  });

  it('has a bar for each target in each group, with its name and figure', () => {
    expect(svg.match(/<rect class="ours"/g)).toHaveLength(2);
    expect(svg.match(/<rect class="other"/g)).toHaveLength(2);
    expect(svg.match(/<rect class="baseline"/g)).toHaveLength(2);
    for (const figure of ['2,000', '1,000', '12,346', '1,500 INVALID', 'not measured']) {
      expect(svg).toContain(`>${figure}</text>`);
    }
  });

  it('draws bars to scale', () => {
    const widths = [...svg.matchAll(/<rect class="(?:ours|other|baseline)"[^>]* width="([\d.]+)"/g)].map(
      ([, w]) => Number(w),
    );
    const [ours1 = 0, other1 = 0, baseline1, , , baseline64 = 0] = widths;
    expect(ours1 / other1).toBeCloseTo(2, 1);
    expect(baseline64 / ours1).toBeCloseTo(15, 0);
    expect(baseline1).toBe(0);
  });

  it('in docs is drawn from the latest results', () => {
    const latest = ComparisonResultsSchema.parse(JSON.parse(readFileSync(resultFiles.comparison, 'utf8')));
    expect(drawChart(latest)).toBe(readFileSync(resultFiles.chart, 'utf8'));
  });

  it('is readable on a light and on a dark page', () => {
    expect(svg).toContain('class="page"');
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
  });
});
