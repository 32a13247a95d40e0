import { errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findUndocumented } from '../support/documented-reply.js';
import type { Reply } from '../support/expect-error.js';
import { plant, rawBodies, rawRequests } from '../support/raw-requests.js';
import { readPlants, type StoredRow } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';

/** How many requests, at least, and the seed of a failure. */
const requestCount = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Only what hangs takes this long, even on a busy machine. */
const timeoutMs = 3 * 60 * 60_000;

const service = useTestService();

/** A request, of which nothing is escaped: `TOKEN` in its head stands for the access token. */
interface Sent {
  readonly head: string;
  readonly body: Buffer;
  /** How the body is written behind the head. */
  readonly framed: Buffer;
  /** Whether it is a create that only its body may be wrong with. */
  readonly isCreate: boolean;
  /** Whether its body is a plant without doubt. */
  readonly isValid: boolean;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const toBytes = (text: fc.Arbitrary<string>) => text.map((all) => Buffer.from(all));

/** Bodies. */

const validText = fc
  .string({ unit: 'binary', maxLength: 6 })
  .map((text) => JSON.stringify(text.replaceAll('\0', '')));
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.stringMatching(/^-?(0|[1-9]\d{0,21})(\.\d{1,3})?([eE][+-]?\d{1,3})?$/),
  fc.constantFrom('01', '+1', '.5', '1.', '-', '1e', '0x1F', 'NaN', '1_0', '1n', '-0', '0e9999999999'),
);
const text = fc.oneof(
  { weight: 4, arbitrary: validText },
  { weight: 1, arbitrary: fc.stringMatching(/^"(\\u[\da-fA-F]{4}|\\[a-z"\\/]|[ !#-[\]-~]){0,4}"$/) },
  { weight: 1, arbitrary: fc.constantFrom('"a', "'a'", '"\n"', '"\0"', '"\\ud800"', '"\\u12"') },
);
const value = fc.oneof(
  number,
  text,
  fc.json(),
  fc.constantFrom('true', 'null', 'nul', '', '[1,]', '{,}', '{"a":1,"a":2}', '[{"__proto__":1}]'),
  fc
    .tuple(fc.constantFrom('[]', '{}', '[}'), fc.constantFrom(1, 498, 499, 500, 3_000))
    .map(
      ([[open = '', close = ''], levels]) =>
        (open === '{' ? '{"a":' : open).repeat(levels) + (open === '{' ? '1' : '') + close.repeat(levels),
    ),
);
const space = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('', ' ', '\r\n', '\t') },
  { weight: 1, arbitrary: fc.constantFrom('\v', '\u00a0', '\ufeff', '/**/', '\0') },
);
const names = `"id" "name" "tag" "\\u0069d" "ID" "x" "" "__proto__" 'id'`.split(' ');
const name = fc.constantFrom(...names);
const member = fc.tuple(space, name, space, value).map(([a, key, b, text]) => `${a}${key}${b}:${text}`);
const members = fc
  .tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), validText, fc.option(validText))
  .map(([id, named, tag]) => [`"id":${id}`, `"name":${named}`, ...(tag === null ? [] : [`"tag":${tag}`])]);
const valid = members.map((all) => `{${all}}`);
const plantText = fc.oneof(
  fc.tuple(members, fc.array(member, { maxLength: 2 })).chain(([good, more]) => {
    const all = [...good, ...more];
    return fc.shuffledSubarray(all, { minLength: all.length - 1 }).map((some) => `{${some}}`);
  }),
  fc.array(member, { maxLength: 4 }).map((all) => `{${all}}`),
  value,
);
const batch = fc.array(fc.oneof(valid, plantText), { maxLength: 8 }).map((all) => `{"plants":[${all}]}`);

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  added: fc.oneof(
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\r', '\n', '\r\n', ' ', '"', '{', ',', '0', '\0', '\xc0\x80', '\xef\xbb\xbf')
      .map(latin1),
  ),
});
type Mutation = { at: number; removed: number; added: Buffer };
function mutate(bytes: Buffer, { at, removed, added }: Mutation): Buffer {
  const place = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place + removed)]);
}
const mutated = (bytes: fc.Arbitrary<Buffer>) =>
  fc.tuple(bytes, fc.array(mutation, { maxLength: 2 })).map(([one, all]) => all.reduce(mutate, one));

const rawBody = fc.constantFrom(...rawBodies).map(([body]) => latin1(body));
const anyBody = fc.oneof(mutated(toBytes(fc.oneof(valid, plantText))), rawBody);

/** Requests. */

const usual = ['Host: a', 'Authorization: Bearer TOKEN', 'Content-Type: application/json'];

function chunk(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, index = 0; at < body.length; index++) {
    const part = body.subarray(at, at + (sizes[index] ?? body.length));
    parts.push(latin1(`${part.length.toString(16)}${index % 2 ? ';a=b' : ''}\r\n`), part, latin1('\r\n'));
    at += part.length;
  }
  return Buffer.concat([...parts, latin1('0\r\n\r\n')]);
}

/** Writes a body behind a head, in one piece or in chunks. */
function frame(line: string, body: Buffer, chunks: readonly number[] | null, more: readonly string[] = []) {
  const framing = chunks ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = [line, ...usual, ...more, framing].join('\r\n');
  return { head, framed: chunks ? chunk(body, chunks) : body };
}

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 });

/** A create that only its body may be wrong with. */
const create = (body: fc.Arbitrary<Buffer>, isValid: boolean): fc.Arbitrary<Sent> =>
  fc.tuple(body, fc.option(sizes, { freq: 3 })).map(([body, chunks]) => ({
    body,
    isValid,
    isCreate: true,
    ...frame('POST /plants HTTP/1.1', body, chunks),
  }));
const validCreate = create(toBytes(valid), true);
const anyCreate = create(anyBody, false);

/** All header lines and request lines of the corpus. */
const known = Object.values(rawRequests)
  .flat()
  .map(([, bytes]) => bytes.split('\r\n\r\n', 1)[0]?.split('\r\n') ?? []);
const lines = [...new Set(known.flatMap((all) => all.slice(1)))].filter((line) => line.length < 100);
// No body has this id, so that nothing is deleted.
const targets = Object.values(routes).map(
  ({ method, path }) => `${method} ${path.replace(':id', '77')} HTTP/1.1`,
);
const requestLine = fc.oneof(
  fc.constantFrom(...targets),
  // Not HEAD, whose replies have no body, and not one that has a page.
  fc.constantFrom(...known.flatMap((all) => all.slice(0, 1))),
  fc.webPath().map((path) => `POST /plants${path} HTTP/1.1`),
  fc.webQueryParameters().map((query) => `GET /plants?${query} HTTP/1.1`),
  fc.stringMatching(/^(PUT|OPTIONS|PATCH|FOO) \/[a-z%?#=&.]{0,9} HTTP\/[01]\.\d$/),
);
const header = fc.oneof(
  fc.constantFrom(...lines),
  fc.constantFrom('Connection: close', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
  fc.constant('Expect: 100-continue'),
  fc.stringMatching(/^[A-Za-z-]{1,9}:[ -~\x80-\xff]{0,9}$/),
);

/** Any request. */
const anyRequest: fc.Arbitrary<Sent> = fc
  .record({
    line: fc.oneof(...['', '/batch'].map((path) => fc.constant(`POST /plants${path} HTTP/1.1`)), requestLine),
    body: fc.oneof(anyBody, toBytes(batch)),
    headers: fc.array(header, { maxLength: 2 }),
    chunks: fc.option(sizes),
    change: fc.option(mutation, { freq: 2 }),
  })
  .map(({ line, body, headers, chunks, change }) => {
    const { head, framed } = frame(line, body, chunks, headers);
    const changed = change ? mutate(latin1(head), change).toString('latin1') : head;
    return { head: changed, body, framed, isCreate: false, isValid: false };
  });

/** Requests that are sent together on one connection. */
const stream: fc.Arbitrary<readonly Sent[]> = fc.oneof(
  fc.array(fc.oneof(validCreate, anyCreate), { minLength: 1, maxLength: 16, size: 'max' }),
  fc.array(fc.oneof(validCreate, anyRequest), { minLength: 1, maxLength: 6, size: 'max' }),
  fc.constantFrom(...Object.values(rawRequests).flat()).map(([, bytes]): readonly Sent[] => {
    const [head = '', ...rest] = bytes.split('\r\n\r\n');
    return [
      { head, body: latin1(plant), framed: latin1(rest.join('\r\n\r\n')), isCreate: false, isValid: false },
    ];
  }),
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
  for (const { head, framed } of requests)
    connection.write(Buffer.concat([latin1(`${head.replaceAll('TOKEN', service.token)}\r\n\r\n`), framed]));
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
    if (documented.every((one) => one.length > 0)) problems.push(`reply ${index + 1}: ${documented[0]}`);
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
