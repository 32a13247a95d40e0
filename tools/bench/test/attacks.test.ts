import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { attacks } from '../src/attack-list.js';

it('makes the attacks of the table in SECURITY.md, from as many connections', () => {
  const page = readFileSync(new URL('../../../docs/SECURITY.md', import.meta.url), 'utf8');
  const table = /\| attack \| connections .+\n\|.+\n\| none.+\n((?:\|.+\n)+)/.exec(page)?.[1] ?? '';
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.slice(2).split(' | ', 2));
  expect(rows).toEqual(attacks.map(({ title, connections }) => [title, String(connections)]));
});
