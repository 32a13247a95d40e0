import { expect, it } from 'vitest';
import { loseFile } from '../src/disk/lose-file.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

// By default it is only moved away, which every platform can. That it is replaced and deleted takes two more databases, and
// is tested in the mode `nightly`; a deleted file is copied from the process that has it open, which Linux can.
it.runIf(!isNightly || process.platform === 'linux')(
  `a 200 is stored, or nothing is acknowledged, when the file is moved away${isNightly ? ', replaced or deleted' : ''}`,
  async () => {
    const { figures, failures } = await loseFile(shortContext(20_261_123));
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ losses: isNightly ? 3 : 1, lost: 0, phantom: 0, double: 0 });
  },
);
