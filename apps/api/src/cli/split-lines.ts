/** A line of a text in UTF-8, numbered from 1. */
export interface Line {
  readonly number: number;
  /** The line without its line feed; `undefined` when it is longer than the limit. */
  readonly bytes: Buffer | undefined;
}

const lineFeed = 0x0a;

/**
 * Splits a stream of bytes into lines. It buffers a single line, up to the limit. A line feed at the very end begins no
 * further line, and a byte order mark at the very beginning is not part of the first.
 *
 * @param signal once aborted, a last line without a line feed is dropped, since it may have been cut off
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let lineBytes = 0;

  function add(part: Buffer): void {
    lineBytes += part.length;
    if (lineBytes <= limitBytes) parts.push(part);
    else parts = [];
  }

  function take(): Line {
    const bytes = lineBytes > limitBytes ? undefined : join(parts);
    parts = [];
    lineBytes = 0;
    return { number, bytes: number++ === 1 && bytes ? withoutByteOrderMark(bytes) : bytes };
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (lineBytes > 0 && !signal?.aborted) yield take();
}

/** Concatenates the parts of a line. Most lines are in one chunk, which needs no copy. */
function join(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const mark = Buffer.from('\uFEFF');
  return bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes;
}
