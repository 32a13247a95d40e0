// Prints a version's section of the changelog, with links that work outside the repository:
//   node .ci/release-notes.ts 1.4.0
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const [version = ''] = process.argv.slice(2);
const sections = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((text) => text.split(/[\s]/, 1)[0]?.replace(/[[\]]/g, '') === version);
if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version || 'no version'}.`);
const address = JSON.parse(read('package.json')).homepage.replace('#readme', `/blob/v${version}`);
const [, notes = ''] = section.split(/\n(.*)/s);
console.log(notes.replaceAll(/\]\((?![a-z]+:|#)/g, `](${address}/`).trim());
