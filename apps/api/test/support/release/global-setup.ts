import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeRelease } from '../../../scripts/release/write-release.js';

/** What the release of the tests is written from. */
const source = { commit: 'a1b2c3', time: new Date('2026-01-02T03:04:05Z') };

declare module 'vitest' {
  interface ProvidedContext {
    /** The release that the tests share and never change: its folder, the number of its files and their size, and its source. */
    readonly release: Awaited<ReturnType<typeof writeRelease>> & typeof source;
  }
}

let parent: string | undefined;

/** Writes the release, which takes as long as most of its tests. */
export async function setup(project: TestProject): Promise<void> {
  parent = mkdtempSync(join(tmpdir(), 'plant-store-release-'));
  project.provide('release', { ...(await writeRelease({ parent, ...source })), ...source });
}

export function teardown(): void {
  if (parent !== undefined) rmSync(parent, { recursive: true, force: true });
}
