import { readFileSync } from 'node:fs';
import { formatCount, formatMemory, formatMs } from '@plant-store/report';
import { describe, expect, it } from 'vitest';
import { ClientResultsSchema } from '../src/client-speed/client-results.js';
import { type ComparisonResults, ComparisonResultsSchema } from '../src/comparison/comparison-results.js';
import { GrowthResultsSchema } from '../src/growth/growth-results.js';
import { resultFiles } from '../src/paths.js';
import { StartResultsSchema } from '../src/start-time/start-results.js';

const readText = (url: URL | string) => readFileSync(url, 'utf8');
const readJson = (url: string): unknown => JSON.parse(readText(url));
const page = readText(new URL('../../../docs/use/performance.md', import.meta.url));
const resultsPage = readText(new URL('../results/README.md', import.meta.url));
const scaling = readText(new URL('../../../docs/operate/scaling.md', import.meta.url));
const readme = readText(new URL('../../../README.md', import.meta.url));
const comparison = ComparisonResultsSchema.parse(readJson(resultFiles.comparison));
const postgresql = ComparisonResultsSchema.parse(readJson(resultFiles.postgresql));
const growth = GrowthResultsSchema.parse(readJson(resultFiles.growth));
const start = StartResultsSchema.parse(readJson(resultFiles.start));
const client = ClientResultsSchema.parse(readJson(resultFiles.client));

/** The rows of a table in Markdown, one for each target: requests/s and p99 by connections, then the peak memory. */
function comparisonRows({ targets, summaries }: ComparisonResults): string[][] {
  return targets.map(({ name, title }) => {
    const own = summaries.filter(({ target }) => target === name);
    const figures = own.map(
      ({ requestsPerSecond, p99Ms }) => `${formatCount(requestsPerSecond)} (${formatMs(p99Ms)})`,
    );
    return [title, ...figures, formatMemory(Math.max(...own.map(({ peakMemoryBytes }) => peakMemoryBytes)))];
  });
}

/** The rows of all tables of a page. */
function readRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
}

/** A section of a page by its heading, with a space for each end of a line. */
function readSection(heading: string, text = page): string {
  const found = text.split(/^##? /m).find((section) => section.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`no section ${heading}`);
  return found.replaceAll('\n', ' ');
}

function summaryOf(name: string, connections: number, { summaries }: ComparisonResults = comparison) {
  const summary = summaries.find((row) => row.target === name && row.connections === connections);
  if (summary === undefined) throw new Error(`no figures of ${name}`);
  return summary;
}

/** How many times the requests of another target the service answers at 64 connections. */
function timesOf(name: string, results: ComparisonResults): string {
  const [own, other] = [summaryOf('plant-store', 64, results), summaryOf(name, 64, results)];
  return (own.requestsPerSecond / other.requestsPerSecond).toFixed(1);
}

it.each([
  ['SQLite', 'Performance', comparison],
  ['PostgreSQL', 'PostgreSQL', postgresql],
])('shows the figures of the last comparison on %s', (_, heading, results) => {
  // `node:http` is set as code.
  const shown = readRows(page).map(([title = '', ...figures]) => [title.replaceAll('`', ''), ...figures]);
  expect(shown).toEqual(expect.arrayContaining(comparisonRows(results)));
  expect(readSection(heading)).toContain(
    'No request failed, and every acknowledged plant was in its database',
  );
  expect(results.summaries.filter(({ errors, valid }) => errors > 0 || !valid)).toEqual([]);
});

it('shows the figures of the last measurement of growth', () => {
  const rows = growth.summaries.map(({ requestsPerSecond, p99Ms, ratioToSmallest }) => [
    formatCount(requestsPerSecond),
    formatMs(p99Ms),
    ratioToSmallest.toFixed(2),
  ]);
  expect(readRows(page).map(([, ...figures]) => figures)).toEqual(expect.arrayContaining(rows));
});

it('shows the figures of the last measurement of the client', () => {
  const rows = client.summaries.map(({ concurrency, fetch, client: own, ratio }) => [
    formatCount(concurrency),
    formatCount(fetch),
    formatCount(own),
    ratio.toFixed(2),
  ]);
  expect(readRows(resultsPage)).toEqual(expect.arrayContaining(rows));
});

it.each([
  ['the page on performance', page],
  ['the README', readme],
])('shows in %s how many times the creates of others the service does, and how soon it starts', (_, text) => {
  expect(text).toContain(formatCount(summaryOf('plant-store', 64).requestsPerSecond));
  for (const name of ['fastify-sqlite', 'express-prisma']) {
    expect(text).toContain(`${timesOf(name, comparison)} times`);
  }
  expect(text).toContain(`${Math.round(start.firstReplyMs)} milliseconds`);
});

it('shows latencies, the ratio to the baseline and the memory when idle', () => {
  const own = summaryOf('plant-store', 64);
  const others = comparison.targets.filter(({ name, stores }) => stores && name !== 'plant-store');
  const best = Math.min(...others.map(({ name }) => summaryOf(name, 64).p99Ms));
  const toBaseline = own.requestsPerSecond / summaryOf('baseline', 64).requestsPerSecond;
  const [p50, p50OfFastify] = ['plant-store', 'fastify-sqlite'].map((name) => summaryOf(name, 1).p50Ms);
  expect(page).toContain(`p99 of ${(own.p99Ms / best).toFixed(2)} of the best`);
  expect(page).toContain(`${toBaseline.toFixed(2)} of the baseline`);
  expect(page).toContain(
    `the p50 is ${p50?.toFixed(2)} milliseconds, Fastify's ${p50OfFastify?.toFixed(2)}.`,
  );
  expect(page).toContain(`the idle service takes ${formatMemory(start.idleMemoryBytes)}`);
  expect(readme).toContain(`p99 of ${Math.round(own.p99Ms)} milliseconds`);
});

it('shows in the page on scaling the figures of the last comparison on PostgreSQL', () => {
  const { requestsPerSecond, p99Ms } = summaryOf('plant-store', 64, postgresql);
  const times = `${timesOf('express-prisma', postgresql)} times`;
  const row = ['PostgreSQL (`bench postgresql`)', formatCount(requestsPerSecond), formatMs(p99Ms), times];
  expect(readRows(scaling)).toContainEqual(row);
});

describe('shows how and where it was measured', () => {
  const roundsOf = ({ rounds, seconds }: { rounds: number; seconds: number }) =>
    `median of ${rounds} rounds of ${seconds} seconds`;
  const { pairs, runMs } = client.settings;

  it.each([
    ['Performance', roundsOf(comparison.settings), comparison.machine, page],
    ['A large store', roundsOf(growth.settings), growth.machine, page],
    ['PostgreSQL', roundsOf(postgresql.settings), postgresql.machine, page],
    ['The start', `medians of ${start.starts.length}`, start.machine, page],
    [
      'The client',
      `medians of ${pairs} pairs of runs of ${runMs / 1000} seconds`,
      client.machine,
      resultsPage,
    ],
  ])('in the section "%s"', (heading, method, { node, cpu }, text) => {
    const section = readSection(heading, text);
    expect(section).toContain(method);
    expect(section).toContain(cpu.includes('EPYC') ? 'EPYC' : 'Intel Xeon');
    expect(section).toContain(`Node.js ${/^v(\d+\.\d+)/.exec(node)?.[1]}`);
  });

  it('in the README', () => {
    expect(readme).toContain(`Node.js ${/^v(\d+\.\d+)/.exec(comparison.machine.node)?.[1]}`);
  });
});
