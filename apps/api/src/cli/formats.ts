import {
  createIdentifiedSchema,
  INT64_MAX,
  INT64_MIN,
  jsonShapeOf,
  schemasOf,
  TimeSchema,
} from '@plant-store/contract';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import type { JsonShape } from '@plant-store/contract/exact-json/parse';
import { explainInvalid, shorten, subjectOf } from '@plant-store/contract/messages';
import {
  type FileRecord,
  recordFormatsOf,
  resourceNameOf,
  writeDeleted,
} from '@plant-store/contract/record-format';
import { fieldsOf, type Resource } from '@plant-store/contract/resource';
import type { ResourceName } from '@plant-store/contract/resources';
import {
  isTombstone,
  type Operations,
  type Stored,
  type StoredRecord,
  type Tombstone,
  toIsoTime,
} from '@plant-store/records';
import * as z from 'zod';
import { parseJsonBytes } from '../http/json-body.js';
import { operationsByName } from '../resources.js';

export interface Format {
  readonly head: string;
  /** Formats a record, with a line feed. A tombstone results in an empty text if the format does not support tombstones. */
  write(record: StoredRecord<object>): string;
}

export const formatNames = ['ndjson', 'csv', 'table'] as const;
export type FormatName = (typeof formatNames)[number];

export interface RecordType {
  readonly resource: Resource;
  readonly operations: Operations<object>;
  /** The schemas of the fields in a body, by name. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The schemas of a list's query parameters, by name. */
  readonly query: Readonly<Record<string, z.ZodType>>;
  readonly formats: Readonly<Record<FormatName, Format>>;
  /** The members to read from a line of JSON. */
  readonly shape: JsonShape;
  /** Validates a record or a tombstone from a file. */
  read(value: unknown): RecordLine;
}

/** All resources. A line that names no resource belongs to the first one. */
export type RecordTypes = readonly [RecordType, ...RecordType[]];

/** The content of a line: a record, a tombstone, or the reason why it is invalid. */
export type RecordLine =
  | { readonly type: RecordType; readonly record: StoredRecord<object> }
  | { readonly reason: string };

export function recordTypeOf<Fields extends object>(operations: Operations<Fields>): RecordType {
  const resource: Resource = operations.resource;
  const schemas = schemasOf(resource as Resource<ResourceName>);
  const fields: RecordType['fields'] = schemas.fields.shape;
  const lineFields = { ...fields, addedAt: TimeSchema.nullish(), original: OriginalSchema };
  const LineSchema = createIdentifiedSchema(lineFields).transform(({ addedAt, original, ...record }) => ({
    ...record,
    ...(addedAt !== undefined && { addedAt }),
    ...(original !== undefined && { original }),
  }));
  const required = fieldsOf(resource).flatMap(([name, { required }]) => (required ? name : []));
  const isDeleted = (value: unknown) =>
    isObject(value) && value['deleted'] === true && !required.some((name) => name in value);
  const type: RecordType = {
    resource,
    // Commands treat records independently of their fields.
    operations: operations as unknown as Operations<object>,
    fields,
    query: schemas.query.shape,
    formats: formatsOf(resource),
    shape: withResource(jsonShapeOf(createIdentifiedSchema({ ...lineFields, deleted: z.boolean() }))),
    read(value) {
      const { data, error } = (isDeleted(value) ? TombstoneSchema : LineSchema).safeParse(value);
      if (data !== undefined) return { type, record: data };
      return { reason: explainInvalid({ body: error?.issues }, subjectOf(resource)).message };
    },
  };
  return type;
}

/** Lists the plural nouns of resources, joined by `and`. */
export const pluralsOf = (types: readonly RecordType[]): string =>
  new Intl.ListFormat('en-US').format(types.map(({ resource }) => resource.plural));

function formatsOf(resource: Resource): RecordType['formats'] {
  const { ndjson, csv } = recordFormatsOf<object>(resource);
  const fields = fieldsOf(resource);
  const titles = fields.flatMap(([, { label, required }]) => (required ? label.toUpperCase() : []));
  return {
    /** Formats records as `recordFormatsOf` does, and deleted records as `{"id":1,"deleted":true}`. */
    ndjson: {
      head: ndjson.head,
      write: (record) =>
        isTombstone(record) ? writeDeleted(resource, record.id) : ndjson.write(toFileRecord(record)),
    },
    csv: { head: csv.head, write: unlessDeleted((record) => csv.write(toFileRecord(record))) },
    /** Formats records for a terminal: exactly one line per record, whatever its texts contain. Optional values are in brackets. */
    table: {
      head: `${['ID'.padEnd(20), 'ADDED'.padEnd(19), ...titles].join('  ')}\n`,
      write: unlessDeleted((record) => {
        const time = toFileRecord(record).addedAt?.slice(0, 19).replace('T', ' ') ?? '';
        const values: Readonly<Record<string, unknown>> = { ...record };
        const shown = fields.flatMap(([name, { kind, label, required }]) => {
          const value = values[name];
          if (value === undefined) return [];
          const text = Array.isArray(value) ? value.join(' ') : escapeInvisible(String(value), 'writing');
          if (required) return text;
          return kind === 'text' ? `[${text}]` : `[${label.toLowerCase()} ${text}]`;
        });
        return `${[`${record.id}`.padEnd(20), time.padEnd(19), ...shown].join('  ')}\n`;
      }),
    },
  };
}

function unlessDeleted(write: (record: Stored<object>) => string): Format['write'] {
  return (record) => (isTombstone(record) ? '' : write(record));
}

function toFileRecord({ addedAt, ...record }: Stored<object>): FileRecord<object> {
  return typeof addedAt === 'number' ? { ...record, addedAt: toIsoTime(addedAt) } : record;
}

/**
 * Reads a line of NDJSON exactly as the service reads the body of a create.
 *
 * @param onlyType the only resource to read. Default: all resources
 * @returns `undefined` if the line belongs to another resource
 */
export function readRecordLine(
  bytes: Buffer,
  types: RecordTypes,
  onlyType?: RecordType,
): RecordLine | undefined {
  const [first] = types;
  return readJson(bytes, first.shape, (value) =>
    readAs(value, types, onlyType, (type) =>
      // A line of the first resource is already parsed.
      type === first ? first.read(value) : readJson(bytes, type.shape, type.read),
    ),
  );
}

/**
 * Reads a line as a record of the resource that it names.
 *
 * @param line an object from NDJSON, or the cells from CSV by column
 * @param onlyType the only resource to read. Default: all resources
 * @returns `undefined` if the line belongs to another resource
 */
export function readAs(
  line: unknown,
  types: RecordTypes,
  onlyType: RecordType | undefined,
  read: (type: RecordType) => RecordLine | undefined,
): RecordLine | undefined {
  const name = resourceNameOf(isObject(line) ? line : {});
  if (name === undefined) return { reason: 'The line is not valid: resource must be a string.' };
  if (onlyType !== undefined && onlyType.resource.name !== name) return undefined;
  const type = types.find(({ resource }) => resource.name === name);
  if (type !== undefined) return read(type);
  return {
    reason: `The line names an unknown resource, "${shorten(name)}". Known resources: ${types.map(({ resource }) => resource.name).join(', ')}.`,
  };
}

function readJson<Line>(
  bytes: Buffer,
  shape: JsonShape,
  read: (value: unknown) => Line,
  explain = (problem: string) => `The line is not valid JSON: ${problem}.`,
): Line | { readonly reason: string } {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes, shape);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: explain(error.message) };
  }
  return read(value);
}

/** Reads a line that names a record to delete: an ID, or an object with one, such as an exported record. */
export function readIdLine(
  bytes: Buffer,
  types: RecordTypes,
  { plainIdType, onlyType }: { readonly plainIdType: RecordType; readonly onlyType?: RecordType | undefined },
): RecordLine | undefined {
  return readJson(
    bytes,
    idShape,
    (value) =>
      isObject(value)
        ? readAs(value, types, onlyType, (type) => readId(value, type))
        : readId({ id: value }, plainIdType),
    () => notAnId.reason,
  );
}

const notAnId = {
  reason: `The line must be an ID from ${INT64_MIN} to ${INT64_MAX}, or a JSON object with an ID in this range.`,
};

function readId(value: unknown, type: RecordType): RecordLine {
  const { data, error } = TombstoneSchema.safeParse(value);
  if (data !== undefined) return { type, record: data };
  if (!error.issues.some(({ path }) => path[0] === 'idText')) return notAnId;
  return { reason: explainInvalid({ body: error.issues }, subjectOf(type.resource)).message };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TombstoneSchema = createIdentifiedSchema({}).transform(({ id }): Tombstone => ({ id, deleted: true }));

const originalError = { error: 'must be the 43-character value that export writes' };

/** The fingerprint of an updated record's original values. */
const OriginalSchema = z
  .string(originalError)
  .regex(/^[\w-]{43}$/, originalError)
  .optional();

/** Adds the member `resource` to the members to read. */
const withResource = (shape: JsonShape): JsonShape => ({
  ...shape,
  members: [...(shape.members ?? []), { name: 'resource', shape: {} }],
});

const idShape = withResource(jsonShapeOf(TombstoneSchema));

const [first, ...others] = Object.values(operationsByName).map((operations) =>
  recordTypeOf(operations as unknown as Operations<object>),
);
if (first === undefined) throw new Error('There are no resources');

export const recordTypes: RecordTypes = [first, ...others];

const whiteSpace = new Set(Buffer.from(' \t\r'));

/** Whether a line contains only white space (RFC 8259, section 2). */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => whiteSpace.has(byte));
}

/** A line of UTF-8 text, numbered from 1. */
export interface Line {
  readonly number: number;
  /** The line without its line feed; `undefined` if it is longer than the limit. */
  readonly bytes: Buffer | undefined;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\uFEFF');

/**
 * Splits a stream of bytes into lines. Buffers only one line, up to the limit. A line feed at the very end does not begin another line, and
 * a byte order mark at the start is not part of the first line.
 *
 * @param signal once it is aborted, a last line without a line feed is dropped, because it may have been cut off
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
    const [first] = parts;
    // Most lines are in one chunk, which needs no copy.
    const all = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
    const bytes = number === 1 && all.indexOf(byteOrderMark) === 0 ? all.subarray(byteOrderMark.length) : all;
    const line = { number: number++, bytes: lineBytes > limitBytes ? undefined : bytes };
    parts = [];
    lineBytes = 0;
    return line;
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
