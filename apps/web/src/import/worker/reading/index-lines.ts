/** Where each line of a text begins and ends, without its line break, in UTF-16 code units. */
export interface LineIndex {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Finds the lines of a text: LF, CRLF and CR each end one. A break at the very end begins no further line. */
export function indexLines(text: string): LineIndex {
  const starts = new Uint32List();
  const ends = new Uint32List();
  let lineFeed = find(text, '\n', 0);
  let carriageReturn = find(text, '\r', 0);
  for (let start = 0; start < text.length; ) {
    const end = Math.min(lineFeed, carriageReturn);
    starts.push(start);
    ends.push(end);
    start = end + (carriageReturn === end && lineFeed === end + 1 ? 2 : 1);
    if (lineFeed < start) lineFeed = find(text, '\n', start);
    if (carriageReturn < start) carriageReturn = find(text, '\r', start);
  }
  return { starts: starts.toArray(), ends: ends.toArray() };
}

function find(text: string, searched: string, from: number): number {
  const found = text.indexOf(searched, from);
  return found === -1 ? text.length : found;
}

/** A list of unsigned 32-bit integers, four bytes each. */
export class Uint32List {
  #items = new Uint32Array(1024);
  length = 0;

  push(item: number): void {
    if (this.length === this.#items.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = item;
  }

  toArray(): Uint32Array {
    return this.#items.slice(0, this.length);
  }
}
