import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { copyRepository } from './copy-repository.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the copy of the repository that all tests change. */
    readonly copy: string;
    /** Whether the mode is `nightly`: every example is tested, instead of one of each kind. */
    readonly isNightly: boolean;
  }
}

/** Makes the copy that all tests change, and removes it after them. */
export function setup(project: TestProject): () => void {
  const copy = copyRepository();
  project.provide('copy', copy);
  return () => rmSync(copy, { recursive: true });
}
