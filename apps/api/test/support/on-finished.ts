import { onTestFinished, TestRunner } from 'vitest';

/** Cleans up after the test; returns whether there is one, since a hook may start something for several. */
export function afterTest(clean: () => unknown): boolean {
  const isTest = TestRunner.getCurrentTest() !== undefined;
  if (isTest) onTestFinished(async () => void (await clean()));
  return isTest;
}

/** The same, but after a hook when the process exits. */
export function onFinished(clean: () => unknown): void {
  if (!afterTest(clean)) process.once('exit', clean);
}
