import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { describeTargets, limitOf } from '../src/compare.js';
import { drawChart } from '../src/draw-chart.js';
import { type Growth, growthRows } from '../src/growth.js';
import { formatFigure, formatMemory } from '../src/report.js';
import { type Comparison, chartPath, resultPath, type Summary } from '../src/results.js';
import { batchSize } from '../src/send-load.js';

/** What a file of results has, in all or some of them. */
interface Results extends Comparison {
  readonly starts: readonly object[];
  readonly firstReplyMs: number;
  readonly idleMemoryBytes: number;
}

const readPage = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const readResults = (name: string): Results => JSON.parse(readFileSync(resultPath(name), 'utf8'));
const page = readPage('docs/use/performance.md');
const scaling = readPage('docs/operate/scaling.md');
const readme = readPage('README.md');
const comparison = readResults('latest');
const postgresql = readResults('postgresql');
const operations = readResults('operations');
const operationsPostgresql = readResults('operations-postgresql');
const start = readResults('start');
const growth: Omit<Results, 'summaries'> & { readonly summaries: readonly Growth[] } = JSON.parse(
  readFileSync(resultPath('growth'), 'utf8'),
);

const unwrap = (text: string) => text.replaceAll('\n', ' ');

/** The rows of all tables of a page. */
function readRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

const figuresOf = (rows: string[][]) => rows.map(([, ...figures]) => figures);

function summaryOf(name: string, connections: number, { summaries } = comparison) {
  const summary = summaries.find((row) => row.target === name && row.connections === connections);
  if (summary === undefined) throw new Error(`no figures of ${name}`);
  return summary;
}

const rateOf = (name: string, results = comparison) => summaryOf(name, 64, results).requestsPerSecond;
/** How many times the creates of another target the service does at 64 connections. */
const timesOf = (name: string, results = comparison) =>
  `${(rateOf('plant-store', results) / rateOf(name, results)).toPrecision(2)} times`;

/** The targets that documents compare the service with, the fairest first. */
const documented = ['fastify-group-log', 'go-sqlite', 'fastify', 'express-prisma'];

it.each([
  ['SQLite', comparison],
  ['PostgreSQL', postgresql],
])('shows the last comparison on %s, in which no request failed and no record was lost', (_, results) => {
  const rows = results.targets.map((target) => {
    const { name, title } = target;
    const own = results.summaries.filter(({ target }) => target === name);
    const at64 = summaryOf(name, 64, results);
    const memory = Math.max(...own.map(({ peakMemoryBytes }) => peakMemoryBytes));
    return [
      title.replace('node:http', '`node:http`'),
      ...own.map(
        ({ requestsPerSecond, p99Ms }) => `${formatFigure(requestsPerSecond)} (${formatFigure(p99Ms)})`,
      ),
      `${formatFigure(at64.slowestRequestsPerSecond)}–${formatFigure(at64.fastestRequestsPerSecond)}`,
      formatFigure(at64.processorUs),
      limitOf(at64, target),
      formatMemory(memory),
    ];
  });
  expect(readRows(page)).toEqual(expect.arrayContaining(rows));
  expect(results.summaries.filter(({ errors, valid }) => errors > 0 || !valid)).toEqual([]);
});

it('shows the versions of what is compared, and what it leaves out', () => {
  const text = page.replaceAll('`', '').replaceAll('\n', ' ');
  for (const line of describeTargets(comparison.targets).split('\n')) expect(text).toContain(line);
  for (const { versions } of postgresql.targets) expect(text).toContain(versions.split(', ').at(-1));
});

it('names the command, machine and Node.js of each file of results', () => {
  const rows = readRows(readPage('tools/bench/results/README.md')).filter(([file]) =>
    file?.includes('.json'),
  );
  expect(rows.map(([file]) => file?.slice(1, -1))).toEqual(
    expect.arrayContaining(
      readdirSync(dirname(resultPath('latest'))).filter((file) => file.endsWith('.json')),
    ),
  );
  for (const [file = '', , command, place] of rows) {
    const { machine } = readResults(file.slice(1, -'.json`'.length));
    expect(command).toBe(`\`${machine.command}\``);
    expect(place).toBe(`${/EPYC|Xeon/.exec(machine.cpu)?.[0]}, ${/\d+\.\d+/.exec(machine.node)?.[0]}`);
  }
});

it('has the chart of the last comparison on SQLite, which -u draws again', async () => {
  await expect(drawChart(comparison)).toMatchFileSnapshot(chartPath);
});

it('shows the percentiles of one connection and of 64', () => {
  const rows = comparison.targets.map(({ name }) =>
    [1, 64].flatMap((connections) => {
      const { p50Ms, p99Ms, p999Ms } = summaryOf(name, connections);
      return [p50Ms, p99Ms, p999Ms].map(formatFigure);
    }),
  );
  expect(figuresOf(readRows(page))).toEqual(expect.arrayContaining(rows));
});

it('shows what a large store costs', () => {
  expect(readRows(page)).toEqual(expect.arrayContaining(growthRows(growth.summaries)));
});

it('shows the last measurement of reads and batches on each engine', () => {
  // Pages, or records.
  const rateOf = ({ operation, requestsPerSecond }: Summary) =>
    formatFigure(requestsPerSecond * (operation === 'batch' ? batchSize : 1));
  const rowsOf = ({ summaries }: Results) =>
    [...Map.groupBy(summaries, ({ operation, connections }) => `${operation} ${connections}`).values()].map(
      (own) => [String(own[0]?.connections), ...own.map(rateOf)],
    );
  const rows = [...rowsOf(operations), ...rowsOf(operationsPostgresql)];
  expect(figuresOf(readRows(page))).toEqual(expect.arrayContaining(rows));
});

it.each([
  ['the page on performance', page],
  ['the README', readme],
])(
  'shows in %s how many times the creates of others the service does, the fairest first, and how soon it starts',
  (_, lines) => {
    const text = unwrap(lines);
    expect(text).toContain(formatFigure(rateOf('plant-store')));
    const places = documented.map((name) => text.indexOf(timesOf(name)));
    expect(places).not.toContain(-1);
    expect(Math.min(...places)).toBe(places[0]);
    const { slowestRequestsPerSecond, fastestRequestsPerSecond } = summaryOf('plant-store', 64);
    expect(unwrap(readme)).toContain(
      `${formatFigure(slowestRequestsPerSecond)} to ${formatFigure(fastestRequestsPerSecond)}`,
    );
    expect(text).toContain(`${Math.round(start.firstReplyMs)} milliseconds`);
  },
);

it('shows latencies, the ratio to the baseline and the memory when idle', () => {
  const own = summaryOf('plant-store', 64);
  const others = comparison.targets.filter(({ name, stores }) => stores && name !== 'plant-store');
  const best = Math.min(...others.map(({ name }) => summaryOf(name, 64).p99Ms));
  const toBaseline = rateOf('plant-store') / rateOf('baseline');
  expect(unwrap(page)).toContain(`p99 of ${(own.p99Ms / best).toFixed(2)} of the best`);
  expect(unwrap(page)).toContain(`${toBaseline.toFixed(2)} of the baseline`);
  expect(unwrap(page)).toContain(`the idle service takes ${formatMemory(start.idleMemoryBytes)}`);
  expect(unwrap(readme)).toContain(`p99 of ${Math.round(own.p99Ms)} milliseconds`);
});

it.each([
  ['SQLite (`bench`)', comparison],
  ['PostgreSQL (`bench --postgresql`)', postgresql],
])('shows in the page on scaling the last comparison on %s', (title, results) => {
  const { requestsPerSecond, p99Ms } = summaryOf('plant-store', 64, results);
  const figures = [formatFigure(requestsPerSecond), formatFigure(p99Ms), timesOf('express-prisma', results)];
  expect(readRows(scaling)).toContainEqual([title, ...figures]);
});

const minorOf = ({ machine }: Pick<Results, 'machine'>) =>
  `Node.js ${/^v(\d+\.\d+)/.exec(machine.node)?.[1]}`;
const roundsOf = ({ settings: { rounds, seconds } }: Pick<Results, 'settings'>) =>
  `${rounds} rounds of ${seconds} seconds`;

it.each([
  ['Performance', roundsOf(comparison), comparison],
  ['A large store', roundsOf(growth), growth],
  ['PostgreSQL', roundsOf(postgresql), postgresql],
  ['Reads and batches', roundsOf(operations), operations],
  ['The start', `medians of ${start.starts.length}`, start],
])('says in the section "%s" how and where it was measured', (heading, method, results) => {
  const section = page.split(/^##? /m).find((text) => text.startsWith(`${heading}\n`));
  const cpu = results.machine.cpu.includes('EPYC') ? 'EPYC' : 'Intel Xeon';
  for (const text of [method, cpu, minorOf(results)]) expect(section && unwrap(section)).toContain(text);
  expect(readme).toContain(minorOf(comparison));
});
