import * as z from 'zod';
import type { JsonShape } from './exact-json/parse.js';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
import { MAX_FILTER_VALUES, MAX_RECORDS, QUERY_MAX_LENGTHS } from './limits.js';
import { toShortestDecimal } from './shortest-decimal.js';
import { parseTime } from './time.js';

/** The JSON shapes that `jsonShapeOf` cannot derive from a schema. */
export const shapes = z.registry<JsonShape>();

/** Returns the parts of a JSON text that a schema reads, so that the parser can skip the others, such as unknown members. */
export function jsonShapeOf(schema: z.core.$ZodType): JsonShape {
  if (shapes.has(schema)) return shapes.get(schema) ?? {};
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return jsonShapeOf(schema.unwrap());
  if (schema instanceof z.ZodPipe)
    return jsonShapeOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodArray) return { items: jsonShapeOf(schema.element) };
  if (!(schema instanceof z.ZodObject)) return {};
  const members = Object.entries<z.core.$ZodType>(schema.shape);
  return { members: members.map(([name, member]) => ({ name, shape: jsonShapeOf(member) })) };
}

/** Returns schema options that report a missing member as required, and any other invalid value as not what is expected. */
export const orRequired = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is required' : expected),
});

/** Matches an integer in its shortest decimal notation. Limited to 19 digits, as in an int64, because `BigInt` takes quadratic time. */
export const integerPattern = /^(0|-?[1-9][0-9]{0,18})$/;

/**
 * `integer, format int64` of the API: accepts a safe `number` or a `bigint`, returns a `bigint`.
 *
 * Fails for everything that is not exactly a 64-bit signed integer, including strings of digits.
 */
export const Int64Schema = z
  .custom<number | bigint>(isInt64, {
    error({ input }) {
      if (input === undefined) return 'is required';
      if (typeof input === 'string' && integerPattern.test(input))
        return 'must be an integer, not a string (for a string, use idText)';
      return `must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
    },
  })
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform(BigInt);

/**
 * Explains why a text is not an integer from `minimum` to `maximum` in its shortest notation. If only the notation is wrong, suggests the
 * shortest one.
 */
function explainNotation(text: unknown, minimum: number | bigint, maximum: number | bigint): string {
  const integer = typeof text === 'string' ? toShortestDecimal(decode(text)) : undefined;
  return integer !== undefined && BigInt(integer) >= minimum && BigInt(integer) <= maximum
    ? `must be written as ${integer}`
    : `must be an integer from ${minimum} to ${maximum}`;
}

/** Decodes a path parameter, which arrives percent-encoded. Returns malformed text unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An int64 in a reply. */
export const ShownInt64Schema = z.bigint().meta({ override: { type: 'integer', format: 'int64' } });

/**
 * `integer, format int64` as a parameter in a path or a query: accepts decimal digits as text, returns a `bigint`.
 *
 * Only the shortest notation is valid, so that one value has one URL: no plus sign, no leading zero and no `-0`. The input type is what a
 * caller passes to the client, which converts it to text.
 */
export const Int64ParameterSchema = z
  .custom<number | bigint>(
    (value) => typeof value === 'string' && integerPattern.test(value) && isInt64(BigInt(value)),
    {
      error: ({ input }) =>
        input === undefined ? 'is required' : explainNotation(input, INT64_MIN, INT64_MAX),
    },
  )
  // A string, so that a generated client does not use a number, which is not exact beyond 2^53.
  .meta({ override: { type: 'string', pattern: integerPattern.source, examples: ['9007199254740993'] } })
  .transform(BigInt);

/** Rejects the NUL character, which PostgreSQL cannot store. */
export const withoutNul = (schema: z.ZodString) =>
  schema.refine((text) => !text.includes('\0'), { error: 'must not contain the NUL character (U+0000)' });

/** Text that every database stores unchanged: no NUL and no unpaired surrogate; empty is allowed. */
export const TextSchema = withoutNul(z.string(orRequired('must be a string'))).refine(
  (text) => text.isWellFormed(),
  { error: 'must not contain an unpaired surrogate' },
);

/**
 * Returns schema options for a query parameter. `parseQuery` returns a list for a repeated parameter, and `null` for one that cannot be
 * decoded.
 */
export const orElse = (expected: string | ((input: unknown) => string)) => ({
  error: ({ input }: { readonly input?: unknown }) => {
    if (Array.isArray(input)) return 'must appear only once';
    if (input === null) return 'must be percent-encoded UTF-8';
    return typeof expected === 'string' ? expected : expected(input);
  },
});

export const createQueryTextSchema = (maxLength: number) =>
  z
    .string(orElse('must be a string'))
    // Checks the UTF-16 length first, because counting the code points of a long text is slow. A code point has at most two code units.
    .refine((text) => text.length <= 2 * maxLength && [...text].length <= maxLength, {
      error: `must have at most ${maxLength} characters`,
    })
    .meta({ override: { maxLength } });

/** Creates the schema of a whole number in a query, which converts up to 4 decimal digits to a `number`. */
export const createQueryNumberSchema = (minimum: number, maximum: number, defaultValue: number) =>
  z
    .custom<number>(
      (text) =>
        typeof text === 'string' &&
        /^(0|[1-9]\d{0,3})$/.test(text) &&
        Number(text) >= minimum &&
        Number(text) <= maximum,
      orElse((text) => explainNotation(text, minimum, maximum)),
    )
    .meta({ override: { type: 'integer', minimum, maximum, default: defaultValue } })
    .transform(Number);

const timeMessage =
  'must be a time with a UTC offset, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00';

/** A time in a body or a file, converted to milliseconds since 1970. Finer digits are dropped. */
export const TimeSchema = z
  .string(orRequired(timeMessage))
  .refine((text) => parseTime(text, 'down') !== undefined, { error: timeMessage })
  .meta({ override: { format: 'date-time' } })
  .transform((text) => parseTime(text, 'down') ?? Number.NaN);

/** Matches a UTC time without digits finer than milliseconds. It stays as written, so that cursors from version 1.4 remain valid. */
const millisecondsInUtc = /^[\d-]+T\d\d:\d\d(:[0-5]\d(\.\d{1,3})?)?Z$/;

/**
 * A time bound in a query, converted to UTC. A time between two milliseconds is rounded up, which selects the same records, because their
 * times are whole milliseconds.
 */
export const QueryTimeSchema = z
  .string(orElse(timeMessage))
  .refine((text) => parseBound(text) !== undefined, { error: timeMessage })
  .meta({ override: { format: 'date-time' } })
  .transform((text) =>
    millisecondsInUtc.test(text) ? text : new Date(parseBound(text) ?? Number.NaN).toISOString(),
  );

/** Parses a time bound. A plus sign that the caller did not percent-encode arrives as a space. */
function parseBound(text: string): number | undefined {
  return parseTime(text.replace(/ (?=\d\d:\d\d$)/, '+'), 'up');
}

/** The cursor of a page. An empty value means the first page, like an absent one, because many tools send parameters without a value. */
export const PageStartSchema = createQueryTextSchema(QUERY_MAX_LENGTHS.after).transform(
  (text) => text || undefined,
);

/** Creates the schema of a query parameter that callers can repeat. A single value becomes a list. */
export const createSeveralSchema = <Schema extends z.ZodType>(one: Schema) =>
  z.preprocess(
    (input) => (input === undefined || Array.isArray(input) ? input : [input]),
    z.array(one).max(MAX_FILTER_VALUES, `must appear at most ${MAX_FILTER_VALUES} times`),
  );

export const LimitSchema = createQueryNumberSchema(1, MAX_RECORDS, 100);

/**
 * Creates the schema of a query. Rejects unknown parameters, because ignoring a filter would return records that the caller did not ask
 * for.
 */
export const createQuerySchema = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? explainUnknown(Object.keys(shape)) : undefined),
  });

function explainUnknown(names: readonly string[]): string {
  return names.length === 0
    ? 'is unknown: this operation has no query parameters'
    : `is unknown: this operation accepts only ${names.join(', ')}`;
}

export const shownTime = (description: string) =>
  z.iso.datetime().meta({ description, override: { pattern: undefined } });

export const NextPageSchema = z
  .string()
  .optional()
  .meta({ description: 'The cursor for the next page. Pass it as `after`. The last page has no `next`' });

export const ErrorNumberSchema = z
  .int32()
  .meta({ override: { type: 'integer', format: 'int32', minimum: undefined, maximum: undefined } });
