// Turns this repository into one for another resource: `pnpm exec node .ci/make-your-own.ts order orders` stores orders instead of plants.
// docs/extend.md lists what remains to be done by hand. The script needs a checkout without changes, and deletes itself.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The noun for one record and for several, in lower case. */
export interface Noun {
  readonly one: string;
  readonly several: string;
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Matches `plant` as a word or as part of a name, in lower, title, or upper case. Skips `houseplant`, `planted`, and `Plant Store`. */
const plant =
  /(?:(?<![A-Za-z])|(?<=\\[bnrt])|(?<=%[0-9A-F]{2}))plants?(?![a-z]|[-_ ]?store(?!d))|Plants?(?![a-z]|[-_ ]?[Ss]tore(?!d))|PLANTS?(?![A-Z]|[-_ ]STORE)/g;

/** Matches the article before `plant`, which can be marked as code or begin the next line of a comment. */
const article = /(?<![A-Za-z])([Aa])(?=\s+(?:(?:\*|\/\/|#) )?[`"']?[Pp]lant(?![a-z]|[-_ ]?[Ss]tore(?!d)))/g;

/** Replaces plants with another noun in any text: code, a page, SQL, or a file path. */
export function renamePlants(text: string, { one, several }: Noun): string {
  const rename = (match: string) => {
    const noun = /s$/i.test(match) ? several : one;
    if (match.startsWith('p')) return noun;
    return match.startsWith('PL') ? noun.toUpperCase() : capitalize(noun);
  };
  return text.replace(article, /^[aeiou]/.test(one) ? '$1n' : '$1').replace(plant, rename);
}

/** Returns the names in a program, except for members of objects and types, and without what is in strings or comments. */
function findNames(program: string): ReadonlySet<string> {
  const code = program
    .replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
    .replace(/`(?:\\.|[^`\\])*`/gs, (text) => (text.match(/\$\{[^}]*\}/g) ?? []).join(' '))
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '');
  return new Set(code.match(/(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$]|\??:)/g));
}

/** Returns the names that a rename would create although the program has them already. */
export function findCollisions(program: string, noun: Noun): readonly string[] {
  const names = findNames(program);
  return [...names]
    .map((name) => (name.match(plant) ? renamePlants(name, noun) : ''))
    .filter((name) => names.has(name));
}

/** Whether a word can be the name of a variable. */
function isName(word: string): boolean {
  try {
    new Function(`'use strict'; let ${word};`);
    return /^[a-z]+$/.test(word);
  } catch {
    return false;
  }
}

/** Functions that remove what a file says about this script, by path. */
const removeMentions: Readonly<Record<string, (text: string) => string>> = {
  '.ci/run': (text) =>
    text.replace(/^(order=.*) own /m, '$1 ').replace(/ {4}# [^\n]*\n {4}own\) [^\n]*\n/, ''),
  'docs/extend.md': (text) => text.replace(/## Make the repository your own\n.*?(?=\n## |$)/s, ''),
};

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const [one = '', several = ''] = process.argv.slice(2);
  const noun: Noun = { one, several };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const stop = (problem: string): never => {
    console.error(`make-your-own: ${problem}`);
    process.exit(1);
  };

  if (!isName(one) || !isName(several) || one === several)
    stop('Name one record and several, each by a word in lower case that can be a variable: order orders');
  if (git('status', '--porcelain') !== '')
    stop('Commit or remove your changes first, so that git can undo this.');

  const ownFiles = ['.ci/make-your-own.ts', '.ci/own', 'apps/api/test/structure/make-your-own.test.ts'];
  const files = git('ls-files', '-z')
    .split('\0')
    .filter((path) => path !== '' && !ownFiles.includes(path));
  const contents = new Map(files.map((path) => [path, readFileSync(join(root, path))]));
  const texts = [...contents].flatMap(([path, bytes]) =>
    bytes.includes(0) ? [] : [[path, bytes.toString()] as const],
  );

  const collisions = texts.flatMap(([path, text]) =>
    /\.[jt]sx?$/.test(path) ? findCollisions(text, noun).map((name) => `${path} has the name ${name}`) : [],
  );
  for (const path of files)
    if (renamePlants(path, noun) !== path && files.includes(renamePlants(path, noun)))
      collisions.push(`there is ${renamePlants(path, noun)}`);
  if (contents.get('packages/contract/openapi.json')?.includes(`"/${several}"`))
    collisions.push(`the API has the path /${several}`);
  if (collisions.length > 0)
    stop(
      `These would mean two things. Rename them first, or choose another noun:\n  ${collisions.join('\n  ')}`,
    );

  for (const path of ownFiles) rmSync(join(root, path));
  for (const [path, text] of texts) {
    const changed = renamePlants(removeMentions[path]?.(text) ?? text, noun);
    if (changed !== text) writeFileSync(join(root, path), changed);
  }
  for (const path of files) {
    const renamed = join(root, renamePlants(path, noun));
    mkdirSync(dirname(renamed), { recursive: true });
    renameSync(join(root, path), renamed);
  }
  // Nobody has run these migrations yet, so their checksums can be replaced.
  for (const path of files.filter((path) => path.endsWith('/released.sha256'))) {
    const list = readFileSync(join(root, path), 'utf8');
    const sum = (file: string) =>
      createHash('sha256')
        .update(readFileSync(join(root, dirname(path), file)))
        .digest('hex');
    writeFileSync(
      join(root, path),
      list.replace(/^[0-9a-f]{64} {2}(.+)$/gm, (_, file) => `${sum(file)}  ${file}`),
    );
  }
  git('add', '--all');
  // Removes the folders that are now empty.
  git('clean', '--force', '-d', '--quiet');
}
