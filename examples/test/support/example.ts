import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const examples = join(import.meta.dirname, '../..');

/** An example as its README describes it. */
export interface Example {
  readonly folder: string;
  /** The command that its README shows, for a shell. */
  readonly command: string;
  /** The environment in which a shell finds the programs that the example installs. */
  readonly path: Readonly<Record<string, string>>;
}

/** Finds an example, and the command in the line of its README that begins with `Run:`. */
export function findExample(name: string): Example {
  const folder = join(examples, name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, command] = /^Run: `([^`]+)`/m.exec(readme) ?? [];
  if (command === undefined) throw new Error(`The README of ${name} shows no command`);
  const path = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  return { folder, command, path: { PATH: path } };
}
