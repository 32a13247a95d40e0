import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { start } from './process.ts';

const examples = join(import.meta.dirname, '../..');

/**
 * Finds an example: the command in the line of its README that begins with `Run:`, the plant there that is sent to it, and the
 * environment in which a shell finds the programs that it installs.
 */
export function findExample(name: string) {
  const folder = join(examples, name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, command] = /^Run: `([^`]+)`/m.exec(readme) ?? [];
  if (command === undefined) throw new Error(`The README of ${name} shows no command`);
  const path = { PATH: [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter) };
  const plant = JSON.parse(/\{ ?"(?:id|plant)":[^}]+\}/.exec(readme)?.[0] ?? '{}');
  return { folder, command, path, plant };
}

/**
 * Starts an example that is a service, on a free port, and resolves once it has printed its URL.
 *
 * @param change what is different from the command of its README
 */
export async function startExample(
  name: string,
  environment: Readonly<Record<string, string>>,
  urlPattern = /http:\S+/,
  change = (command: string) => command,
) {
  const { folder, command, path, plant } = findExample(name);
  const changed = { ...environment, ...path, PORT: '0', NODE_OPTIONS: '--no-warnings', NO_COLOR: '1' };
  const example = start(['sh', '-c', change(command)], { folder, environment: changed });
  return { ...example, url: await example.waitFor(urlPattern), plant };
}

/** Sends JSON to an example that is a service; resolves to the status and the body of its reply. */
export async function post(url: string, body: unknown, others: Readonly<Record<string, string>> = {}) {
  const headers = { 'Content-Type': 'application/json', ...others };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return [response.status, await response.json()];
}
