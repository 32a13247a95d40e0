import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { createOutputWriter } from './output-writer.js';

it('does not retry at the end when the reader has gone away', () => {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const descriptor = openSync(path, 'w');
  onTestFinished(() => closeSync(descriptor));
  closeSync(reader);

  const output = createOutputWriter(descriptor, 1_000);
  output.write('in flight');
  output.write('queued');
  const timeoutMs = 20_000;
  const startedAt = performance.now();
  output.endSync(timeoutMs);
  expect(performance.now() - startedAt).toBeLessThan(timeoutMs);
});
