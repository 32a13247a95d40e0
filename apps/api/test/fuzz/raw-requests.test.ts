import { errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findUndocumented } from '../support/documented-reply.js';
import type { Reply } from '../support/expect-error.js';
import { rawBodies, rawRequests } from '../support/raw-requests.js';
import { readPlants, type StoredRow } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';

/** How many requests, at least, and the seed of a failure. */
const requestCount = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Only what hangs takes this long, even on a busy machine. */
const timeoutMs = 3 * 60 * 60_000;

const service = useTestService();

/** A request, in which `TOKEN` in its head stands for the access token. */
interface Sent {
  readonly head: string;
  readonly body: Buffer;
  /** Whether the body is sent in one chunk. */
  readonly isChunked: boolean;
  /** Whether it is a create that only its body may be wrong with. */
  readonly isCreate: boolean;
  readonly isValid: boolean;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const validText = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\0', ''));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.stringMatching(/^-?(0|[1-9]\d{0,21})(\.\d{1,3})?([eE][+-]?\d{1,3})?$/),
);
const text = fc.stringMatching(/^"(\\u[\da-fA-F]{4}|\\[a-z"\\/]|[ !#-[\]-~]){0,4}"$/);
const value = fc.oneof(
  number,
  text,
  fc.json(),
  fc.constantFrom('nul', '', '[1,]', '{"a":1,"a":2}', '"\\ud800"'),
);
const valid = fc
  .record({ id: int64, name: validText, tag: fc.option(validText, { nil: undefined }) })
  .map(({ id, ...texts }) => `{"id":${id},${JSON.stringify(texts).slice(1)}`);
const member = fc
  .tuple(fc.constantFrom('id', 'name', 'tag', '\\u0069d', 'ID', '__proto__'), value)
  .map(([name, text]) => `"${name}":${text}`);
const plantText = fc
  .tuple(fc.array(member, { maxLength: 3 }), valid, fc.boolean())
  .map(([members, whole, isComplete]) => `{${[...members, ...(isComplete ? [whole.slice(1, -1)] : [])]}}`);
const batch = fc.array(plantText, { maxLength: 8 }).map((all) => `{"plants":[${all}]}`);

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  added: fc.oneof(
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('\r\n', ' ', '"', '{', ',', '0', '\0', '\xc0\x80', '\xef\xbb\xbf').map(latin1),
  ),
});
function mutate(
  bytes: Buffer,
  { at, removed, added }: { at: number; removed: number; added: Buffer },
): Buffer {
  const place = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place + removed)]);
}
const anyBody = fc.oneof(
  fc
    .tuple(fc.oneof(valid, plantText, batch), fc.array(mutation, { maxLength: 2 }))
    .map(([text, mutations]) => mutations.reduce(mutate, Buffer.from(text))),
  fc.constantFrom(...rawBodies).map(([body]) => latin1(body)),
);

function toSent(line: string, body: Buffer, isChunked: boolean, headers: readonly string[] = []): Sent {
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const usual = ['Host: a', 'Authorization: Bearer TOKEN', 'Content-Type: application/json'];
  const head = [line, ...usual, ...headers, framing].join('\r\n');
  return { head, body, isChunked, isCreate: false, isValid: false };
}
const create = (body: fc.Arbitrary<Buffer>, isValid: boolean): fc.Arbitrary<Sent> =>
  fc.tuple(body, fc.boolean()).map(([body, isChunked]) => {
    return { ...toSent('POST /plants HTTP/1.1', body, isChunked), isCreate: true, isValid };
  });
const validCreate = create(
  valid.map((text) => Buffer.from(text)),
  true,
);

/** All header lines and request lines of the corpus. */
const known = Object.values(rawRequests)
  .flat()
  .map(([, bytes]) => bytes.split('\r\n\r\n', 1)[0]?.split('\r\n') ?? []);
const headerLines = [...new Set(known.flatMap((all) => all.slice(1)))].filter((line) => line.length < 100);
// No body has this ID, so that nothing is deleted.
const targets = Object.values(routes).map(
  ({ method, path }) => `${method} ${path.replace(':id', '77')} HTTP/1.1`,
);
const requestLine = fc.oneof(
  fc.constantFrom(...targets, 'POST /plants/batch HTTP/1.1', ...known.flatMap((all) => all.slice(0, 1))),
  fc.webQueryParameters().map((query) => `GET /plants?${query} HTTP/1.1`),
  fc.stringMatching(/^(PUT|OPTIONS|PATCH|FOO) \/[a-z%?#=&.]{0,9} HTTP\/[01]\.\d$/),
);
const header = fc.oneof(
  fc.constantFrom(...headerLines, 'Connection: close', 'Transfer-Encoding: chunked', 'Expect: 100-continue'),
  fc.stringMatching(/^[A-Za-z-]{1,9}:[ -~\x80-\xff]{0,9}$/),
);
const anyRequest = fc
  .tuple(
    requestLine,
    anyBody,
    fc.boolean(),
    fc.array(header, { maxLength: 2 }),
    fc.option(mutation, { freq: 2 }),
  )
  .map(([line, body, isChunked, headers, change]) => {
    const sent = toSent(line, body, isChunked, headers);
    return change ? { ...sent, head: mutate(latin1(sent.head), change).toString('latin1') } : sent;
  });

/** Requests that are sent together on one connection. */
const stream = fc.oneof(
  fc.array(fc.oneof(validCreate, create(anyBody, false)), { minLength: 1, maxLength: 16, size: 'max' }),
  fc.array(fc.oneof(validCreate, anyRequest), { minLength: 1, maxLength: 6, size: 'max' }),
);

/** What a caller may expect, by a parser that is not the service's. */

class Literal {
  constructor(readonly source: string) {}
}
type Reviver = (name: string, value: unknown, context: { source: string }) => unknown;
type Parse = (text: string, reviver: Reviver) => unknown;

/** The value of a body, with its numbers as they are written; `undefined` if it is not JSON in UTF-8. */
function parse(body: Buffer): unknown {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return (JSON.parse as Parse)(decoded, (_, value, { source }) =>
      typeof value === 'number' ? new Literal(source) : value,
    );
  } catch {
    return undefined;
  }
}

/** The value of a number, if it is an integer of 64 bits. */
function toInt64({ source }: Literal): bigint | undefined {
  const [, sign, integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(source) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, '');
  if (digits === '') return 0n;
  const zeros = Number(exponent) - fraction.length;
  if (zeros > 20 || zeros < -digits.length) return undefined;
  if (zeros < 0 && !/^0*$/.test(digits.slice(zeros))) return undefined;
  const id = BigInt(`${sign}${zeros < 0 ? digits.slice(0, zeros) : digits + '0'.repeat(zeros)}`);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

/** The row of a plant, if a value is one. */
function toRow(value: unknown): StoredRow | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, name, tag = null } = value as Record<string, unknown>;
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && !text.includes('\0') && text.isWellFormed();
  const int64 = id instanceof Literal ? toInt64(id) : undefined;
  if (int64 === undefined || !isText(name) || !('tag' in value ? isText(tag) : tag === null))
    return undefined;
  return { id: String(int64), name, tag: tag as string | null };
}

/** Everything in a body that may be stored. */
function rowsOf(body: Buffer): readonly StoredRow[] {
  const value = parse(body);
  const { plants = [] } = Object(value) as { plants?: unknown };
  return [value, ...(Array.isArray(plants) ? plants : [])].flatMap((one) => toRow(one) ?? []);
}

/** What is wrong with the reply to a create, of which only the body may be wrong. */
function checkCreate({ body, isValid }: Sent, { status, body: replied }: Reply): readonly string[] {
  const row = toRow(parse(body));
  if (status === 200) {
    const { name, tag } = row ?? {};
    const expected = { name, ...(tag !== null && { tag }) };
    return JSON.stringify(replied) === JSON.stringify(expected) ? [] : ['it was stored as something else'];
  }
  const { error } = replied as { error: number };
  const allowed: number[] = [
    ...(isValid ? [] : [errors.malformed_json.error]),
    ...(parse(body) !== undefined && row === undefined ? [errors.invalid_plant.error] : []),
    ...(row === undefined ? [] : [errors.id_taken.error]),
  ];
  return allowed.includes(error)
    ? []
    : [`${error}, expected ${[...allowed, ...(row ? [200] : [])].join(' or ')}`];
}

const counts = { requests: 0, stored: 0, rejected: 0 };
const acknowledged = new Map<string, StoredRow>();
const sent = new Map<string, StoredRow[]>();

/** Sends requests on a connection, and returns what is wrong with the replies. */
async function check(requests: readonly Sent[]): Promise<readonly string[]> {
  for (const row of requests.flatMap(({ body }) => rowsOf(body)))
    sent.set(row.id, [...(sent.get(row.id) ?? []), row]);
  const connection = await openConnection(service.baseUrl);
  for (const { head, body, isChunked } of requests) {
    const size = `${body.length.toString(16)};a=b\r\n`;
    const framing = isChunked
      ? [body.length > 0 ? size : '', body.length > 0 ? '\r\n0\r\n\r\n' : '0\r\n\r\n']
      : ['', ''];
    const [before = '', after = ''] = framing;
    connection.write(
      Buffer.concat([
        latin1(`${head.replaceAll('TOKEN', service.token)}\r\n\r\n${before}`),
        body,
        latin1(after),
      ]),
    );
  }
  connection.end();
  const isPlain = requests.every(({ isCreate }) => isCreate);
  const replies: Reply[] = [];
  try {
    for (;;) {
      const reply = await connection.readReply();
      if (reply.status !== 100) replies.push(reply);
    }
  } catch (error) {
    // What is sent behind the last request of a connection may reset it before the reply is read (RFC 9112, section 9.6).
    const isReset = !isPlain && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (!isReset && (error as Error).message !== 'The connection was closed after: ') return [String(error)];
  }
  counts.requests += replies.length;
  const problems: string[] = [];
  for (const [index, reply] of replies.entries()) {
    counts[reply.status < 300 ? 'stored' : 'rejected']++;
    const request = requests[index];
    const documented = Object.keys(routes).map((name) =>
      findUndocumented(reply, name as keyof typeof routes),
    );
    if (documented.every((one) => one.length > 0))
      problems.push(`reply ${index + 1}: ${documented.toSorted((a, b) => a.length - b.length)[0]}`);
    if (!isPlain || request === undefined) continue;
    problems.push(...checkCreate(request, reply).map((text) => `reply ${index + 1}: ${text}`));
    const row = toRow(parse(request.body));
    if (reply.status === 200 && row !== undefined) acknowledged.set(row.id, row);
  }
  if (isPlain && replies.length !== requests.length) problems.push(`${replies.length} replies`);
  return problems;
}

it(
  'every reply is documented, and what is accepted is stored exactly',
  async () => {
    // Many at once, so that a commit has plants of several.
    const streams = fc.array(stream, { minLength: 1, maxLength: 64, size: 'max' });
    let left = 1;
    const property = fc.asyncProperty(streams, async (all) => {
      const problems = (await Promise.all(all.map(check))).flat();
      expect(problems).toEqual([]);
      left = requestCount - counts.requests;
      // It answers still, on another connection.
      const id = `${2n ** 62n + BigInt(counts.requests)}`;
      const text = `{"id":${id},"name":"still"}`;
      const [still] = fc.sample(create(fc.constant(Buffer.from(text)), true), 1);
      expect(await check(still ? [still] : [])).toEqual([]);
    });
    for (let part = 0; left > 0; part++) await fc.assert(property, { seed: seed + part, numRuns: 50 });

    const stored = await readPlants(service);
    const rows = new Map(stored.map((row) => [row.id, row]));
    expect(stored.filter((row) => !sent.get(row.id)?.some((one) => isSame(one, row)))).toEqual([]);
    expect([...acknowledged.values()].filter((row) => !isSame(rows.get(row.id), row))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(0.1 * counts.requests);
    expect(counts.rejected).toBeGreaterThan(0.3 * counts.requests);
    console.info(`seed ${seed}: ${JSON.stringify({ ...counts, acknowledged: acknowledged.size })}`);
  },
  timeoutMs,
);

function isSame(one: StoredRow | undefined, other: StoredRow): boolean {
  return one?.id === other.id && one.name === other.name && one.tag === other.tag;
}
