import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFinished } from './on-finished.js';

/** Creates an empty folder, which is removed after the test or, in a hook, at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
