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

/** The widths of the bars, in their order. */
const readBars = (chart: string) =>
  [...chart.matchAll(/<rect class="(ours|other)"[^>]* width="([\d.]+)"/g)].map(([, kind, size]) => ({
    kind,
    size: Number(size),
  }));

describe('the chart', () => {
  it('has the number of connections in its title, and how and on which machine it was measured', () => {
    for (const text of ['>Creates per second at 64 connections<', 'Median of 3 rounds of 5 s.']) {
      expect(svg).toContain(text);
    }
    expect(svg).toContain('Some &lt;CPU&gt; &amp; more, 2 cores');
    expect(svg).toContain('Node.js 20.19.0, 2026-01-02.');
  });

  it('has a bar to scale with its name and figure for each target that stores, the fastest first', () => {
    const [ours, other, ...more] = readBars(svg);
    expect([ours?.kind, other?.kind, ...more]).toEqual(['ours', 'other']);
    expect((ours?.size ?? 0) / (other?.size ?? 1)).toBeCloseTo(12345.6 / 1500, 0);
    for (const text of ['Plant Store', 'Another', '12,346', '1,500 INVALID']) {
      expect(svg).toContain(`>${text}</text>`);
    }
    expect(svg.indexOf('>Plant Store<')).toBeLessThan(svg.indexOf('>Another<'));
  });

  it('has a target that stores nothing in a note alone', () => {
    expect(svg).toContain('Baseline (The baseline): 30,000.');
    const summaries = results.summaries.filter(({ target }) => target !== 'baseline');
    expect(drawChart({ ...results, summaries })).not.toContain('Baseline');
  });

  it('shows the most connections that were measured where 64 were not', () => {
    const chart = drawChart({ ...results, settings: { ...results.settings, connections: [1] } });
    expect(chart).toContain('>Creates per second at 1 connection<');
    expect(chart).toContain('>2,000</text>');
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
