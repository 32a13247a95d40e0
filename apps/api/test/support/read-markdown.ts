import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A link in a Markdown page: its position, as `page:line`, and its target. */
export interface MarkdownLink {
  readonly place: string;
  readonly target: string;
}

const ignoredFolders = new Set('node_modules dist release .git .turbo .next .wrangler generated'.split(' '));

/** Lists every Markdown page of the repository, by its path relative to the root. */
export function listPages(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : listPages(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });
}

/** Reads the links of a page, except those in code. */
export function readLinks(page: string): MarkdownLink[] {
  return readLines(page).flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      place: `${page}:${index + 1}`,
      target,
    })),
  );
}

/** Reads the anchors of a page's headings, as GitHub generates them. */
export function readAnchors(page: string): string[] {
  return readLines(page).flatMap((line) => {
    const heading = /^#+ +(.*?) *$/.exec(line)?.[1];
    return heading === undefined ? [] : [toAnchor(heading)];
  });
}

function toAnchor(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}

/** Reads the file and folder names that a page shows as code, such as `http/create-app.ts`, `plants/` or `errors/*.test.ts`. */
export function readPaths(page: string): string[] {
  return readLines(page).flatMap((line) =>
    [...line.matchAll(/`([\w@./*-]+(?:\.(?:tsx?|js|json|md|css|cfg|conf|sh|toml|yml)|\/))`/g)].map(
      ([, path = '']) => path,
    ),
  );
}

/** Reads the lines of a page, with those of code blocks emptied. */
function readLines(page: string): string[] {
  let isCode = false;
  return readPage(page)
    .split('\n')
    .map((line) => {
      const isFence = /^\s*```/.test(line);
      if (isFence) isCode = !isCode;
      return isCode || isFence ? '' : line;
    });
}

/** Reads a page, or another file, by its path relative to the root. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Whether a path relative to the root exists; one with `*`, whether any file matches it. */
export function exists(path: string): boolean {
  return path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}
