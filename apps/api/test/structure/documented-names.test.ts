import { globSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import { configurationItems } from '../../src/check/configuration.js';
import * as postgresql from '../../src/check/postgresql.js';
import * as sqlite from '../../src/check/sqlite.js';
import type { CliContext } from '../../src/cli/cli-context.js';
import { createProgram } from '../../src/cli/program.js';
import { readPage, root } from '../support/read-markdown.js';

/** A command that is not for users. */
const hidden = 'worker';

/** The commands that do something, each with its options, such as `export --output`. */
function listCommands(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length > 0) {
    return command.commands
      .filter((child) => child.name() !== hidden)
      .flatMap((child) => listCommands(child, [...path, child.name()]));
  }
  return [path.join(' '), ...command.options.map(({ long }) => `${path.join(' ')} ${long}`)];
}

it('the page on the command line has every command and option, and no other', () => {
  const program = createProgram({
    version: '0.0.0',
    context: {} as CliContext,
    readConfig: vi.fn(),
    environment: {},
    onServiceStopped: vi.fn(),
  });
  const shown = [...readPage('docs/operate/cli.md').matchAll(/^\| `plant-store ([^`]+)` \|/gm)].flatMap(
    ([, call = '']) => {
      const name = /^[a-z]+(?:[ -][a-z]+)*/.exec(call)?.[0] ?? '';
      return [name, ...(call.match(/--[a-z-]+/g) ?? []).map((option) => `${name} ${option}`)];
    },
  );
  expect([...new Set(shown)].toSorted()).toEqual(listCommands(program).toSorted());
});

it('the page on the command line has every item of the check, and no other', () => {
  const items = [configurationItems, sqlite.contentItems, sqlite.tableItems, sqlite.fileItems];
  const ofPostgresql = [postgresql.serverItems, postgresql.tableItems];
  const names = [...items, ...ofPostgresql].flatMap((list: object) => Object.keys(list));
  const [, section = ''] = readPage('docs/operate/cli.md').split('\n## Check\n');
  const [tables = ''] = section.split('\n## ', 1);
  const shown = [...tables.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  // Each database is an item, too: whether it can be opened.
  expect(shown.toSorted()).toEqual([...new Set(['database', ...names])].toSorted());
});

it('the pages for operators show log messages that the code has', () => {
  const sources = globSync('apps/api/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const code = sources.map(readPage).join('\n');
  const [, others = ''] = readPage('docs/operate/observability.md').split('| other lines |');
  const table = others.split('\n\n', 1).join('');
  const messages = [
    ...(readPage('docs/operate/sqlite.md').match(/(?<=^\| \d\d \| `)[^`]+(?=` \|)/gm) ?? []),
    ...(table.match(/(?<=^\| )`[^|]+`(?= \|)/gm) ?? []).flatMap((names) => names.match(/[^`,]+(?=`)/g) ?? []),
  ].filter((text) => text.trim() !== '');
  expect(messages.length).toBeGreaterThan(8);
  expect(messages.filter((text) => !code.includes(`'${text}'`))).toEqual([]);
});
