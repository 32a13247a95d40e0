// Writes the repository and the tag of a GitHub workflow into the manifests and pages that it publishes, because npm compares the manifests
// with the provenance, and links must lead to the tag's files.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Replaces a repository's URL in a text, and `HEAD` with the tag in links to the repository's files. */
export function nameRepository(
  text: string,
  { from, to, tag }: { readonly from: string; readonly to: string; readonly tag: string },
): string {
  const headPath = /^\/(blob|tree)\/HEAD\//;
  const [start = '', ...parts] = text.split(from);
  return start + parts.map((part) => to + part.replace(headPath, `/$1/${tag}/`)).join('');
}

/** Patterns for the paths of the files that name the repository. */
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
