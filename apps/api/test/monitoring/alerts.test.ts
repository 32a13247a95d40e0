import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { exists, readAnchors, readPage } from '../support/read-markdown.js';
import { alertsFile, type Recording, readRecordings } from '../support/recordings.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { groups } = parse(readFileSync(alertsFile, 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const recordings = readRecordings();

/** What promtool reads. */
const file = join(temporaryFolder(), 'recorded.yml');

/** The interval of the scrapes, and of the evaluation of the alerts, in seconds. */
const interval = 15;

/** Which alerts fire in a recording, and when first, in seconds since its beginning. */
function findFirings({ series }: Recording): ReadonlyMap<string, number> {
  const scrapes = Math.max(...series.map(({ values }) => countOf(values)));
  // Nothing is expected, so promtool prints what there is.
  const promql = Array.from({ length: scrapes }, (_, index) => ({
    expr: 'ALERTS{alertstate="firing"}',
    eval_time: `${index * interval}s`,
  }));
  const test = { interval: `${interval}s`, input_series: series, promql_expr_test: promql };
  const tests = { rule_files: [alertsFile], evaluation_interval: `${interval}s`, tests: [test] };
  writeFileSync(file, JSON.stringify(tests));
  const { stdout, stderr } = spawnSync('/usr/bin/promtool', ['test', 'rules', file], { encoding: 'utf8' });
  const output = stdout + stderr;
  if (!/SUCCESS|expr: /.test(output)) throw new Error(output);
  const firings = new Map<string, number>();
  for (const [, time = '', got = ''] of output.matchAll(/expr: .*?, time: (\S+?),[\s\S]*?got:(.*)/g))
    for (const [, alert = ''] of got.matchAll(/alertname=\\?"(\w+)/g))
      if (!firings.has(alert)) firings.set(alert, toSeconds(time));
  return firings;
}

/** How many samples the notation of promtool has. */
function countOf(values: string): number {
  const repeated = values.split(' ').map((part) => /x(\d+)$/.exec(part)?.[1]);
  return values
    .split(' ')
    .reduce((sum, part, at) => sum + Number(repeated[at] ?? 0) + (part.startsWith('_x') ? 0 : 1), 0);
}

/** A duration as Prometheus prints it, such as `1h2m30s`. */
function toSeconds(duration: string): number {
  const units: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1 };
  const parts = [...duration.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
}

const found = Array.from(recordings, ([name, own]) => ({ name, ...own, firings: findFirings(own) }));

it.each(found.filter(({ name }) => name.startsWith('quiet')))(
  'no alert fires in $name',
  ({ firings, series }) => {
    expect(Math.min(...series.map(({ values }) => countOf(values)))).toBeGreaterThan((30 * 60) / interval);
    expect([...firings]).toEqual([]);
  },
);

it('each alert fires in a recorded outage, and no other alert than the table of outages says, after as many seconds', () => {
  const rows = found
    .filter(({ name }) => !name.startsWith('quiet'))
    .map(({ title, perSecond, outageAt, firings }) => {
      const fired = Array.from(firings, ([alert, at]) => `${alert} ${at - outageAt}`);
      return `"${title}",${perSecond},"${fired.join(', ') || 'none'}"`;
    });
  const [, ...documented] = readPage('deploy/monitoring/outages.csv').trimEnd().split('\n');
  expect(documented.toSorted()).toEqual(rows.toSorted());
  const fired = new Set(found.flatMap(({ firings }) => [...firings.keys()]));
  expect([...fired].toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});

/** Whether a series has the labels that a selector asks for. */
function matches(series: string, matchers: string): boolean {
  return [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].every(([, label, operator, value = '']) => {
    const actual = new RegExp(`\\b${label}="([^"]*)"`).exec(series)?.[1] ?? '';
    if (operator === '=~') return new RegExp(`^(${value})$`).test(actual);
    return (actual === value) === (operator === '=');
  });
}

it('each alert selects series that the service has', () => {
  const series = found.flatMap((recording) => recording.series.map((each) => each.series));
  const isThere = (start: string, matchers: string) =>
    series.some((each) => each.startsWith(start) && matches(each, matchers));
  const unknown = alerts.flatMap(({ alert, expr }) =>
    [...expr.matchAll(/\b(up|(?:plant_store|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
      .filter(([, name, matchers = '']) => !isThere(`${name}{`, matchers))
      .map(([selector]) => `${alert}: ${selector}`),
  );
  expect(unknown).toEqual([]);
});

it.each(alerts)('$alert leads to a section of a page that lists it', ({ alert, annotations }) => {
  const [path = '', anchor = ''] = annotations['runbook']?.replace('/opt/plant-store/', '').split('#') ?? [];
  expect(path.startsWith('docs/operate/') && exists(path)).toBe(true);
  expect(readAnchors(path)).toContain(anchor);
  expect(readPage(path)).toMatch(new RegExp(`^\\| .*\`${alert}\`.*\\(#${anchor}\\)`, 'm'));
});
