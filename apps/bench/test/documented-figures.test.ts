import { readFileSync } from 'node:fs';
import { formatCount, formatMemory, formatMs } from '@plant-store/report';
import { expect, it } from 'vitest';
import { type ComparisonResults, ComparisonResultsSchema } from '../src/comparison/comparison-results.js';
import { GrowthResultsSchema } from '../src/growth/growth-results.js';
import { resultFiles } from '../src/paths.js';
import { StartResultsSchema } from '../src/start-time/start-results.js';

const readText = (url: URL | string) => readFileSync(url, 'utf8');
const page = readText(new URL('../../../docs/performance.md', import.meta.url));
const readme = readText(new URL('../../../README.md', import.meta.url));
const comparison = ComparisonResultsSchema.parse(JSON.parse(readText(resultFiles.comparison)));
const postgresql = ComparisonResultsSchema.parse(JSON.parse(readText(resultFiles.postgresql)));
const growth = GrowthResultsSchema.parse(JSON.parse(readText(resultFiles.growth)));
const start = StartResultsSchema.parse(JSON.parse(readText(resultFiles.start)));

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

/** The rows of all tables of the page that start like the given ones. */
const shownRows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '));

const atSixtyFour = (name: string) => {
  const summary = comparison.summaries.find(
    ({ target, connections }) => target === name && connections === 64,
  );
  if (summary === undefined) throw new Error(`no figures of ${name}`);
  return summary;
};
const timesOf = (name: string) =>
  (atSixtyFour('plant-store').requestsPerSecond / atSixtyFour(name).requestsPerSecond).toFixed(1);

it.each([
  ['SQLite', comparison],
  ['PostgreSQL', postgresql],
])('shows the figures of the last comparison on %s', (_, results) => {
  // `node:http` is set as code.
  const shown = shownRows.map(([title = '', ...figures]) => [title.replaceAll('`', ''), ...figures]);
  expect(shown).toEqual(expect.arrayContaining(comparisonRows(results)));
});

it('shows the figures of the last measurement of growth', () => {
  const rows = growth.summaries.map(({ requestsPerSecond, p99Ms, ratioToSmallest }) => [
    formatCount(requestsPerSecond),
    formatMs(p99Ms),
    ratioToSmallest.toFixed(2),
  ]);
  expect(shownRows.map(([, ...figures]) => figures)).toEqual(expect.arrayContaining(rows));
});

it.each([
  ['the page on performance', page],
  ['the README', readme],
])('shows in %s how many times the creates of others the service does, and how soon it starts', (_, text) => {
  expect(text).toContain(formatCount(atSixtyFour('plant-store').requestsPerSecond));
  for (const name of ['fastify-sqlite', 'express-prisma']) expect(text).toContain(`${timesOf(name)} times`);
  expect(text).toContain(`${Math.round(start.firstReplyMs)} milliseconds`);
});
