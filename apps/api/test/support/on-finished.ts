import { onTestFinished, TestRunner } from 'vitest';

/** Cleans up after the test or, where a hook has started something for several, when the process exits at the latest. */
export function onFinished(clean: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) process.once('exit', clean);
  else onTestFinished(async () => void (await clean()));
}
