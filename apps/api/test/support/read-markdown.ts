import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A link of a Markdown page: where it stands, as `page:line`, and where it leads. */
export interface MarkdownLink {
  readonly place: string;
  readonly target: string;
}

const ignoredFolders = new Set(['node_modules', 'dist', '.git', '.turbo', 'generated']);

/** Every Markdown page of the repository, by its path below the root. */
export function listPages(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : listPages(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });
}

/** The links of a page, without those that are only shown as code. */
export function readLinks(page: string): MarkdownLink[] {
  return readLines(page).flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      place: `${page}:${index + 1}`,
      target,
    })),
  );
}

/** The anchors of a page's headings, as GitHub makes them. */
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

/** The names of files and folders that a page shows as code, such as `http/create-app.ts` or `plants/`. */
export function readPaths(page: string): string[] {
  return readLines(page).flatMap((line) =>
    [...line.matchAll(/`([\w@./-]+(?:\.(?:ts|js)|\/))`/g)].map(([, path = '']) => path),
  );
}

/** The lines of a page; those of code blocks are empty. */
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

/** The text of a page, or of another file, by its path below the root. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Whether a path below the root exists. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}
