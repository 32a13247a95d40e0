// Names the repository and the tag of a GitHub workflow in the manifests and pages that it publishes: npm compares the manifests with
// the provenance, and links lead to the files of the tag.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Replaces the address of a repository in a text, and in links to its files their branch. */
export function nameRepository(
  text: string,
  { from, to, tag }: { readonly from: string; readonly to: string; readonly tag: string },
): string {
  const isBranch = /^\/(blob|tree)\/HEAD\//;
  const [start = '', ...parts] = text.split(from);
  return start + parts.map((part) => to + part.replace(isBranch, `/$1/${tag}/`)).join('');
}

/** The files that name the repository, by their paths in it. */
export const naming = ['package.json', 'packages/*/package.json', 'packages/*/*.md', 'packages/*/docs/*.md'];

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF_NAME: tag } = process.env;
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !tag) throw new Error('This is no workflow of GitHub.');
  const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const from = homepage.replace('#readme', '');
  for (const file of globSync(naming, { cwd: root })) {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, nameRepository(text, { from, to: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`, tag }));
  }
}
