import { expect, it } from 'vitest';
import { holdLock } from '../src/disk/hold-lock.js';
import { loseFile } from '../src/disk/lose-file.js';

const context = { seed: 20_261_123, amount: 'short', settings: {}, log: () => undefined } as const;
const nothingWrong = { lost: 0, phantom: 0, double: 0 };

it('a 200 is stored although another process locks the file', async () => {
  const { figures, failures } = await holdLock(context);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ locks: 1, ...nothingWrong });
});

// A deleted file is copied from the process that has it open, which Linux can.
it.runIf(process.platform === 'linux')(
  'a 200 is stored, or nothing is acknowledged, when the file is moved away, replaced or deleted',
  async () => {
    const { figures, failures } = await loseFile(context);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ losses: 3, ...nothingWrong });
  },
);
