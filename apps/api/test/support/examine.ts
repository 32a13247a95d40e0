import { expect } from 'vitest';
import type { Finding } from '../../src/check/finding.js';
import { examine as examineInstallation } from '../../src/cli/check.js';
import { parseConfig } from '../../src/config.js';

/**
 * Runs `plant-store check` within the test.
 *
 * @param environment the settings that differ from the defaults
 * @returns a function that returns what was found for an item, each as `status: found. advice`
 */
export async function examine(environment: Readonly<Record<string, string>>) {
  const settings = { PORT: '0', ...environment };
  const config = parseConfig(settings, '/');
  const findings: Finding[] = [];
  for await (const finding of examineInstallation({ config, environment: settings })) findings.push(finding);
  return (name: string): readonly string[] =>
    findings
      .filter(({ item }) => item === name)
      .map(({ status, found, advice }) => `${status}: ${found}${advice === undefined ? '' : `. ${advice}`}`);
}

/** Checks what was found: for each item one text, or one that matches, or several. */
export function expectFound(
  found: (item: string) => readonly string[],
  expected: Readonly<Record<string, string | RegExp | readonly (string | RegExp)[]>>,
): void {
  const toMatcher = (text: string | RegExp) =>
    typeof text === 'string' ? text : expect.stringMatching(text);
  for (const [item, texts] of Object.entries(expected))
    expect.soft(found(item), item).toEqual([texts].flat().map(toMatcher));
}
