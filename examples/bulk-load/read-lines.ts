import { createReadStream } from 'node:fs';

/** A line of a file, without its line feed. */
export interface Line {
  /** 1 for the first one. */
  readonly number: number;
  readonly bytes: Buffer;
}

const maxBytes = 2 ** 24;

/**
 * Reads the lines that are not blank. `node:readline` is not for JSON: it also ends lines at U+2028, which texts may contain.
 *
 * @throws {Error} for a line of more than 16 MiB
 */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 1;
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const last = chunk.subarray(start, end);
      const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last]);
      if (!isBlank(bytes)) yield { number, bytes };
      number++;
      start = end + 1;
      rest = [];
      length = 0;
    }
    rest.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new Error(`Line ${number} is longer than 16 MiB. Is the file NDJSON?`);
  }
  const bytes = Buffer.concat(rest);
  if (!isBlank(bytes)) yield { number, bytes };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
