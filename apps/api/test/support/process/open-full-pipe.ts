import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';

/** Opens a full pipe: its read end, which does not block, and its blocking write end, as a shell would pass it on. */
export function openFullPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  for (const size of [4096, 1]) {
    const chunk = Buffer.alloc(size, '\n');
    expect(() => {
      for (;;) writeSync(reader, chunk);
    }).toThrow('EAGAIN');
  }
  onTestFinished(() => {
    closeSync(reader);
    closeSync(writer);
  });
  return { reader, writer };
}
