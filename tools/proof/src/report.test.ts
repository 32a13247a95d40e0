import { expect, it } from 'vitest';
import { formatRuns } from './report.js';

const promise = 'A 200 survives a crash';

it('formats what held, what did not run, and why', () => {
  const text = formatRuns([
    {
      name: 'crash',
      seconds: 1,
      results: [
        { promise, figures: { kills: 1200, 'lost plants': 0, p99: 1.5 }, failures: [] },
        { promise: 'B', figures: {}, failures: [], notRun: 'needs the user root' },
      ],
    },
  ]);
  expect(text.split('\n')).toEqual([
    '| proof |                promise | outcome |                             figures |',
    '|-------|-----------------------:|--------:|------------------------------------:|',
    '| crash | A 200 survives a crash |   holds | kills 1,200; lost plants 0; p99 1.5 |',
    '| crash |                      B | not run |                 needs the user root |',
    '',
  ]);
});

it('prints the first failures of a promise, and how many there are', () => {
  const failures = Array.from({ length: 12 }, (_, index) => `failure ${index}`);
  const text = formatRuns([{ name: 'crash', seconds: 1, results: [{ promise, figures: {}, failures }] }]);
  expect(text).toContain('12 failed');
  expect(text).toContain(`Failed: ${promise}\n- failure 0\n`);
  expect(text).toContain('- failure 9\n- and 2 more\n');
});
