import { expect, it } from 'vitest';
import type { Target } from '../targets/target.js';
import { selectTargets } from './select-targets.js';

it('leaves out a target that cannot run here, and logs what to install', () => {
  const needy = (title: string, needs: string | undefined): Target => ({
    name: title,
    title,
    about: '',
    stores: true,
    whyLeftOut: () => needs,
    prepare: () => Promise.reject(new Error('is not started')),
  });
  const ready = needy('ready', undefined);
  const { whyLeftOut: _, ...always } = needy('always', undefined);
  const lines: string[] = [];

  const selected = selectTargets([always, needy('absent', 'apt-get install gcc'), ready], (line) =>
    lines.push(line),
  );

  expect(selected).toEqual([always, ready]);
  expect(lines).toEqual(['left out: absent, which needs: apt-get install gcc']);
});
