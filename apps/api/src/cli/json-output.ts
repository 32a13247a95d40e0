import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { CliContext } from './cli-context.js';

/** The option `--json` of a command. */
export interface JsonOption {
  readonly json?: boolean | undefined;
}

/** A line of JSON with the values of the API, in which every integer is exact. */
export function toJsonLine(value: object): string {
  return `${stringifyExactJson(value as ExactJson)}\n`;
}

/**
 * Reports what a command has done: in words on standard error, and with `--json` as an object on standard output, too. The work is done,
 * so a closed output does not matter.
 */
export async function reportOutcome(
  { isTerminal, print, message }: Pick<CliContext, 'isTerminal' | 'print' | 'message'>,
  { json = false }: JsonOption,
  outcome: object,
  words: string,
): Promise<void> {
  const line = toJsonLine(outcome);
  if (json) print(isTerminal ? escapeForTerminal(line) : line);
  await message(words);
}
