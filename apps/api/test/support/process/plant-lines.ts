import { Readable } from 'node:stream';

/** A plant as a line of NDJSON. */
export function plantLine(id: number | bigint, name = `plant ${id}`): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}\n`;
}

/** A standard input with this content. */
export function toInput(...parts: readonly (string | Buffer)[]): Readable {
  return Readable.from(parts.map((part) => Buffer.from(part)));
}
