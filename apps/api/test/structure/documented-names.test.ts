import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listCommands } from '../../scripts/release/man-page.js';
import { createProgram, type ProgramDependencies } from '../../src/cli/program.js';
import { listPages, readPage, root } from '../support/read-markdown.js';

const context = { commandName: 'plant-store' };
const program = createProgram({ version: '0', context } as ProgramDependencies);

/** The commands of `plant-store` that its help shows, each with its options, such as `export --output`. */
const commands = listCommands(program, '').flatMap(([path, { options }]) => {
  const name = path.trim();
  return [name, ...options.map(({ long }) => `${name} ${long}`)];
});

/** The code of all pages, line by line: that of blocks, and that within a sentence. */
const code = listPages().flatMap((page) =>
  [...readPage(page).matchAll(/^ *```[a-z]*\n([\s\S]*?)\n *```$|`([^`\n]+)`/gm)].flatMap(
    ([, block, inline = '']) => (block ?? inline).split('\n').map((line) => ({ page, line })),
  ),
);

/** The places of code that names something, each with what it names. */
const findNames = (pattern: RegExp) =>
  code.flatMap(({ page, line }) =>
    [...line.matchAll(pattern)].map(([, name = '']) => ({ page, name: name.trim() })),
  );

it('every page names only commands and options of plant-store that exist', () => {
  const named = findNames(/(?:^|[^@/\w-])plant-store (?!node )([a-z][^|;&>#)"']*)/g);
  expect(named.length).toBeGreaterThan(50);
  const isKnown = (call: string) => {
    const command = commands.find((name) => !name.includes('--') && `${call} `.startsWith(`${name} `));
    const options = call.match(/--[a-z-]+/g) ?? [];
    return command !== undefined && options.every((option) => commands.includes(`${command} ${option}`));
  };
  expect(named.filter(({ name }) => !isKnown(name))).toEqual([]);
});

it('every page names only scripts of this repository that exist', () => {
  const ofPnpm = ['add', 'exec', 'install', 'patch', '--filter', '--recursive'];
  const scripts = [...Object.keys(JSON.parse(readPage('package.json')).scripts), ...ofPnpm];
  const named = findNames(/(?:^|\W)pnpm(?:@[\d.]+)? (?:-s |--silent )?([\w:-]+)/g);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !scripts.includes(name))).toEqual([]);
});

it.each([
  ['test:on', '.ci/test-on.ts', /(?:mode\(\s*|^ {2}\[\n {4})'([a-z-]+)'/gm],
  ['bench', 'tools/bench/src/main.ts', /ommand\('([a-z]+)'/g],
])('every page names only what `pnpm %s` knows', (script, source, pattern) => {
  const known = [...readPage(source).matchAll(pattern)].map(([, name]) => name);
  const named = findNames(new RegExp(`pnpm ${script} ([a-z][a-z-]*)`, 'g'));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
});

it('the page on the command line has every command, and no other', () => {
  const shown = [...readPage('docs/operate/cli.md').matchAll(/^\| `plant-store ([^`]+)` \|/gm)].map(
    ([, call = '']) => /^[a-z]+(?:[ -][a-z]+)*/.exec(call)?.[0],
  );
  expect(shown.toSorted()).toEqual(commands.filter((name) => !name.includes('--')).toSorted());
});

it('the page on the command line has every item of the check, and no other', () => {
  const sources = ['configuration', 'sqlite', 'postgresql'].map((name) =>
    readPage(`apps/api/src/check/${name}.ts`),
  );
  const names = [...sources.join('').matchAll(/\binspect\('([^']+)'/g)].map(([, name = '']) => name);
  const [, section = ''] = readPage('docs/operate/cli.md').split('\n## Check\n');
  const [tables = ''] = section.split('\n## ', 1);
  const rows = tables.split('\n').filter((line) => line.startsWith('| '));
  const shown = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  // Each database is an item, too: whether it can be opened.
  expect(shown.toSorted()).toEqual([...new Set(['database', ...names])].toSorted());
});

it('the page on observability shows log messages that the code has', () => {
  const sources = globSync('apps/api/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const code = sources.map(readPage).join('\n');
  const [, others = ''] = readPage('docs/operate/observability.md').split('| other lines |');
  const table = others.split('\n\n', 1).join('');
  const messages = (table.match(/(?<=^\| )`[^|]+`(?= \|)/gm) ?? [])
    .flatMap((names) => names.match(/[^`,]+(?=`)/g) ?? [])
    .filter((text) => text.trim() !== '');
  expect(messages.length).toBeGreaterThan(12);
  expect(messages.filter((text) => !code.includes(`'${text}'`))).toEqual([]);
});
