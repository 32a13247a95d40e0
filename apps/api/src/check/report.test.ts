import { expect, it } from 'vitest';
import type { Finding } from './finding.js';
import { formatFinding, formatJson, worstOf } from './finding.js';

const fine: Finding = { item: 'migrations', status: 'ok', found: 'up to date' };
const full: Finding = { item: 'disk', status: 'warning', found: 'it is full', advice: 'Free space.' };
const away: Finding = { item: 'database', status: 'error', found: 'It is away: ECONNREFUSED\nStart it.' };

it('formats each finding as one line of sentences', () => {
  expect([fine, full, away].map(formatFinding).join('')).toBe(`\
ok       migrations: up to date.
warning  disk: it is full. Free space.
error    database: It is away: ECONNREFUSED. Start it.
`);
});

it('formats them as one JSON document with the worst status', () => {
  expect(JSON.parse(formatJson([full, fine]))).toEqual({ status: 'warning', findings: [full, fine] });
  expect(worstOf([])).toBe('ok');
  expect(worstOf([fine, away, full])).toBe('error');
});
