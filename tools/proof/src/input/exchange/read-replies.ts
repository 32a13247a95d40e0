/** A reply as it came over the connection. */
export interface Reply {
  readonly status: number;
  /** By name in lower case; each name at most once. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What the bytes on a connection are so far. */
export interface ReadReplies {
  /** The complete final replies; those with a status below 200 are left out. */
  readonly replies: readonly Reply[];
  /** Bytes of a reply that is not complete. */
  readonly left: Buffer;
}

/**
 * Splits bytes into replies (RFC 9112, section 6).
 *
 * @param methodOf the method of the request that a reply belongs to, by its position
 * @throws {Error} if they are no replies, or one has no length
 */
export function readReplies(bytes: Buffer, methodOf: (position: number) => string | undefined): ReadReplies {
  const replies: Reply[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return { replies, left: bytes.subarray(at) };
    const { status, headers } = readHead(bytes.toString('latin1', at, headEnd));
    const from = headEnd + 4;
    const hasBody = status >= 200 && status !== 204 && status !== 304 && methodOf(replies.length) !== 'HEAD';
    // What cannot be parsed is answered with a body, whatever its method seems to be.
    const isLast = headers.get('connection') === 'close' && status === 400 && bytes.length > from;
    const length = hasBody || isLast ? toLength(headers) : 0;
    if (from + length > bytes.length) return { replies, left: bytes.subarray(at) };
    if (status >= 200) replies.push({ status, headers, body: bytes.subarray(from, from + length) });
    at = from + length;
  }
}

function readHead(text: string): Omit<Reply, 'body'> {
  const [first = '', ...lines] = text.split('\r\n');
  const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]+$/.exec(first) ?? [];
  if (status === undefined) throw new Error(`This is no status line: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([\w-]+): ([\t\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`This is no header: ${JSON.stringify(line)}`);
    if (headers.has(name.toLowerCase())) throw new Error(`The header ${name} comes twice`);
    headers.set(name.toLowerCase(), value);
  }
  return { status: Number(status), headers };
}

function toLength(headers: ReadonlyMap<string, string>): number {
  const value = headers.get('content-length') ?? '';
  if (!/^\d+$/.test(value)) throw new Error(`The Content-Length of a reply is ${JSON.stringify(value)}`);
  return Number(value);
}
