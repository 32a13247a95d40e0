import { METHODS } from 'node:http';

/** A request as it is framed (RFC 9112). */
export interface FramedRequest {
  readonly method: string;
  readonly target: string;
  /** Such as `1.1`. */
  readonly version: string;
  /** In the order in which they come, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What bytes on a connection are. */
export interface FramedStream {
  /** The complete requests. */
  readonly requests: readonly FramedRequest[];
  /** How they end: with a complete request, in the middle of one, or with what is not HTTP. */
  readonly end: 'complete' | 'incomplete' | 'malformed';
  /** The head of the request that is not complete, if that is. */
  readonly head?: Omit<FramedRequest, 'body'>;
}

class Malformed extends Error {}
class Incomplete extends Error {}

/** The methods of RTSP and other protocols that Node.js's parser knows are no methods of HTTP. */
const methods = new Set(METHODS);

/**
 * Splits bytes into requests of the versions that parsers know, as strictly as RFC 9112 permits: no bare CR or LF, no folded lines, no space before a colon,
 * no two lengths.
 */
export function readRequests(bytes: Buffer): FramedStream {
  const requests: FramedRequest[] = [];
  let at = 0;
  let head: Omit<FramedRequest, 'body'> | undefined;
  try {
    for (;;) {
      head = undefined;
      // Empty lines between requests are ignored (RFC 9112, section 2.2).
      while (bytes[at] === 10 || bytes[at] === 13) at++;
      if (at === bytes.length) return { requests, end: 'complete' };
      const read = readHead(bytes, at);
      head = read.head;
      const { body, next } = readBody(bytes, read.next, head.headers);
      at = next;
      requests.push({ ...head, body });
      if (!isPersistent(head)) return { requests, end: 'complete' };
    }
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof Incomplete)) throw error;
    const end = error instanceof Malformed ? 'malformed' : 'incomplete';
    return { requests, end, ...(head !== undefined && { head }) };
  }
}

/** Whether the connection may be used again after the reply (RFC 9112, section 9.3). */
export function isPersistent({ version, headers }: Omit<FramedRequest, 'body'>): boolean {
  const options = headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((option) => option.trim());
  if (options.includes('close')) return false;
  return version !== '1.0' || options.includes('keep-alive');
}

const crlf = Buffer.from('\r\n');

/** Takes a line to its CRLF; throws as soon as no continuation could make it a valid one. */
function readLine(bytes: Buffer, from: number, valid: RegExp): { match: RegExpExecArray; next: number } {
  const lineFeed = bytes.indexOf(10, from);
  const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
  const line = bytes.toString('latin1', from, end);
  if (!line.endsWith('\r\n')) {
    if (lineFeed >= 0 || /\r./s.test(line)) throw new Malformed();
    throw new Incomplete();
  }
  const match = valid.exec(line.slice(0, -2));
  if (match === null) throw new Malformed();
  return { match, next: end };
}

// A server may take several spaces for one (RFC 9112, section 3).
const requestLine = /^([!#$%&'*+.^_`|~\w-]+) +([\x21-\x7e]+) HTTP\/(0\.9|1\.0|1\.1|2\.0)$/;
const fieldLine = /^(?:([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*|)$/;
// A chunk extension may hold what a field value may.
const chunkLine = /^([\da-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

function readHead(bytes: Buffer, from: number) {
  const first = readLine(bytes, from, requestLine);
  const [, method = '', target = '', version = ''] = first.match;
  if (!methods.has(method)) throw new Malformed();
  const { headers, next } = readFields(bytes, first.next);
  return { head: { method, target, version, headers }, next };
}

function readFields(bytes: Buffer, from: number) {
  const headers: [string, string][] = [];
  for (let at = from; ; ) {
    const { match, next } = readLine(bytes, at, fieldLine);
    const [, name, value = ''] = match;
    if (name === undefined) return { headers, next };
    headers.push([name.toLowerCase(), value]);
    at = next;
  }
}

function readBody(bytes: Buffer, from: number, headers: FramedRequest['headers']) {
  const lengths = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  const codings = headers.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value);
  if (codings.length > 0) {
    // What is not chunked last has no known end (RFC 9112, section 6.3).
    if (lengths.length > 0 || !/^(?:(?!chunked)[\w-]+[ \t]*,[ \t]*)*chunked$/i.test(codings.join(',')))
      throw new Malformed();
    return readChunks(bytes, from);
  }
  const [length = '0', ...others] = lengths;
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) throw new Malformed();
  return { body: take(bytes, from, Number(length)), next: from + Number(length) };
}

function readChunks(bytes: Buffer, from: number) {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const { match, next } = readLine(bytes, at, chunkLine);
    const size = Number.parseInt(match[1] ?? '', 16);
    if (size === 0) return { body: Buffer.concat(chunks), next: readFields(bytes, next).next };
    chunks.push(take(bytes, next, size));
    at = next + size + 2;
    const ending = bytes.subarray(at - 2, at);
    if (!ending.equals(crlf.subarray(0, ending.length))) throw new Malformed();
    if (ending.length < 2) throw new Incomplete();
  }
}

function take(bytes: Buffer, from: number, length: number): Buffer {
  if (from + length > bytes.length) throw new Incomplete();
  return bytes.subarray(from, from + length);
}
