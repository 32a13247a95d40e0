import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OperatorError } from '../errors/operator-error.js';

/** A file of the page, as it is and compressed. */
export interface PageFile {
  readonly name: string;
  /** Whether its name changes with its content, so that it never gets another one. */
  readonly isHashed: boolean;
  readonly plain: Representation;
  /** By the content coding (RFC 9110, section 8.4.1): those in which the file is smaller. */
  readonly compressed: ReadonlyMap<string, Representation>;
}

export interface Representation {
  readonly content: Buffer;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The files of the page by the paths that they are served under, such as `/` and `/assets/index-3f2a9c1b.js`. */
export type Page = ReadonlyMap<string, PageFile>;

/** The list of all files that the build writes beside them: the SHA-256 of each, in base64url, by its name. */
export const listName = 'files.json';

/** What a compressed file has after its name, by the content coding, the smallest first. */
export const suffixes = { br: '.br', gzip: '.gz' } as const;

/** The folder of the files whose names have a hash of their content. */
export const hashedFolder = 'assets/';

/** The route of all these files, for metrics and the log: each build has others. */
export const hashedFilesRoute = `/${hashedFolder}*`;

/**
 * Reads the page that the build has written into memory, and checks that no file is missing or changed.
 *
 * @throws {OperatorError} when it is not as the build wrote it
 */
export function readPage(folder: string): Page {
  try {
    return readFiles(folder, readList(folder));
  } catch (error) {
    throw new OperatorError(
      `The page in ${folder} cannot be served: ${messageOf(error)}\nBuild or install this program again, or set PAGE=off to serve the API without the page.`,
      { cause: error },
    );
  }
}

function readFiles(folder: string, hashes: ReadonlyMap<string, string>): Page {
  const read = (name: string): Representation => {
    const content = readFileSync(join(folder, name));
    const hash = hashOf(content);
    if (hash !== hashes.get(name)) throw new Error(`${name} is not the file that was built`);
    return { content, etag: `"${hash}"` };
  };
  const isCompressed = (name: string) => Object.values(suffixes).some((suffix) => name.endsWith(suffix));
  const names = [...hashes.keys()].filter((name) => !isCompressed(name));
  if (!names.includes('index.html')) throw new Error(`${listName} does not list index.html`);
  return new Map(
    names.map((name) => {
      const compressed = Object.entries(suffixes).flatMap(([coding, suffix]) =>
        hashes.has(`${name}${suffix}`) ? [[coding, read(`${name}${suffix}`)] as const] : [],
      );
      const isHashed = name.startsWith(hashedFolder);
      return [toPath(name), { name, isHashed, plain: read(name), compressed: new Map(compressed) }];
    }),
  );
}

/** The path that a file is served under: that of the document is the root. */
function toPath(name: string): string {
  return name === 'index.html' ? '/' : `/${name}`;
}

/** The SHA-256 of a file, in base64url. */
export function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

function readList(folder: string): ReadonlyMap<string, string> {
  const list: unknown = JSON.parse(readFileSync(join(folder, listName), 'utf8'));
  if (typeof list !== 'object' || list === null) throw new Error(`${listName} is not a list of files`);
  return new Map(Object.entries(list));
}
