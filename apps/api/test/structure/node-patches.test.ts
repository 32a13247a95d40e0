import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { compareVersions, findOverdue, readPinned } from '../../../../.ci/node-patches.js';
import { readPage } from '../support/read-markdown.js';

const pinned = readPinned(readPage('pnpm-workspace.yaml'));
const now = new Date('2026-11-28T00:00:00Z');

it.each([
  ['nothing newer', { '26.9.0': '2026-09-17' }, undefined],
  ['a newer patch of 15 days', { '26.12.1': '2026-11-13' }, '26.12.1'],
  ['a newer patch of 13 days', { '26.12.1': '2026-11-15' }, undefined],
  ['one of 15 days and one of a day', { '26.11.0': '2026-11-13', '26.12.1': '2026-11-27' }, '26.11.0'],
  ['several', { '26.9.1': '2026-11-02', '26.11.0': '2026-10-01', '26.12.1': '2026-10-22' }, '26.12.1'],
  ['another line', { '24.22.3': '2026-10-01', '27.0.0': '2026-10-01', '260.0.0': '2026-10-01' }, undefined],
  ['no version', { created: '2026-01-01', modified: '2026-01-01', '26.11.0-rc.1': '2026-01-01' }, undefined],
])('judges %s', (_what, published, overdue) => {
  expect(findOverdue('26.10.0', { '26.10.0': '2026-09-23', ...published }, now)).toBe(overdue);
});

it('finds the Node.js of each platform, and checks engines against the oldest', () => {
  const dependencies = Object.keys(JSON.parse(readPage('package.json')).optionalDependencies);
  expect([...pinned.keys()].toSorted()).toEqual(dependencies.toSorted());
  const [oldest] = [...pinned.values()].toSorted(compareVersions);
  expect(parse(readPage('pnpm-workspace.yaml')).nodeVersion).toBe(oldest);
});
