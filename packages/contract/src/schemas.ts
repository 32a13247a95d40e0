import * as z from 'zod';
import { scopes } from './access-token.js';
import { isEntityTags } from './conditions.js';
import type { ErrorBody, ErrorNameOf, ErrorNumber } from './errors.js';
import { NumberLiteral } from './exact-json/number.js';
import type { JsonShape } from './exact-json/parse.js';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
import {
  MAX_OVERLAP_SECONDS,
  MAX_PLANTS,
  MAX_RATE_PER_MINUTE,
  MAX_WAIT_SECONDS,
  QUERY_MAX_LENGTHS,
  TOKEN_NAME_MAX_LENGTH,
} from './limits.js';
import { shorten } from './messages.js';
import type {
  Change,
  ChangePage,
  ChangeQuery,
  CreateResult,
  CreateResults,
  DeleteResult,
  DeleteResults,
  GetResult,
  GetResults,
  IssuedToken,
  NewPlant,
  NewPlantInput,
  NewToken,
  OwnToken,
  Plant,
  PlantPage,
  PlantQuery,
  StoredPlant,
  TagPage,
  TagQuery,
  Token,
  TokenList,
  TokenRotation,
} from './operations.js';
import { toShortestDecimal } from './shortest-decimal.js';
import { parseTime } from './time.js';

/** The shapes of schemas that do not show theirs. */
const shapes = z.registry<JsonShape>();

/** What of a JSON text a schema reads: an unknown member, for example, it does not. */
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

/** The shortest decimal notation of an int64, bounded, since `BigInt` takes time that grows with the square of the length. */
const shortest = /^(0|-?[1-9][0-9]{0,18})$/;

/**
 * `integer, format int64` of the API: takes a safe `number` or a `bigint`, gives a `bigint`.
 *
 * Fails on everything that is not exactly a 64-bit signed integer, strings of digits among them.
 */
export const Int64Schema = z
  .custom<number | bigint>(isInt64, {
    error({ input }) {
      if (input === undefined) return 'is required';
      if (typeof input === 'string' && shortest.test(input))
        return 'must be an integer, not a string: send its digits as idText';
      return `must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
    },
  })
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform((value) => BigInt(value));

/** What is wrong with a text that is no integer of a range in its shortest notation, which it names if that is all. */
function explainNotation(text: unknown, minimum: number | bigint, maximum: number | bigint): string {
  const integer = typeof text === 'string' ? toShortestDecimal(decode(text)) : undefined;
  return integer !== undefined && BigInt(integer) >= minimum && BigInt(integer) <= maximum
    ? `must be in the shortest decimal notation: ${integer}`
    : `must be an integer from ${minimum} to ${maximum}`;
}

/** A parameter in a path comes as it was sent. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * `integer, format int64` as a parameter in a path or a query: takes the decimal digits as text, gives a `bigint`.
 *
 * Only the shortest notation is valid, so that one value has one URL: no plus sign, no leading zero and no `-0`. The input
 * is typed as what a client passes, which writes it as text.
 */
export const Int64ParameterSchema = z
  .custom<number | bigint>(
    (value) => typeof value === 'string' && shortest.test(value) && isInt64(BigInt(value)),
    {
      error: ({ input }) =>
        input === undefined ? 'is required' : explainNotation(input, INT64_MIN, INT64_MAX),
    },
  )
  // As text, so that a generated client does not take a number that is not exact beyond 2^53.
  .meta({ override: { type: 'string', pattern: shortest.source, examples: ['9007199254740993'] } })
  .transform((value) => BigInt(value))
  .meta({
    description:
      'Identification number of the plant: all its digits, in the shortest decimal notation, which is the `idText` of ' +
      'a plant. Many programs round its `id` beyond 2^53',
  });

const withoutNul = (schema: z.ZodString) =>
  schema.refine((text) => !text.includes('\0'), { error: 'must not contain the character NUL (U+0000)' });

/** Text that every database stores unchanged: no NUL and no unpaired surrogate; empty is allowed. */
const TextSchema = withoutNul(
  z.string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') }),
).refine((text) => text.isWellFormed(), { error: 'must not contain an unpaired surrogate' });

/** A plant as the service shows it: `{ name, tag? }`. */
export const PlantSchema = z
  .object(
    {
      name: TextSchema.meta({ description: 'The name of the plant' }),
      tag: TextSchema.meta({ description: 'Tag that specifies the type of the plant' }).optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'Plant',
    description: 'A plant in the store.',
    examples: [{ name: 'Monstera deliciosa', tag: 'houseplant' }],
  }) satisfies z.ZodType<Plant, Plant>;

/** Why an `idText` is not valid, in its place. */
class IdTextIssue {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Reads `idText` into `id`. Where that is not possible, an `IdTextIssue` takes the place of `idText`. */
function readIdText(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('idText' in input)) return input;
  const { idText, ...others } = input;
  if (idText === undefined) return others;
  const { data: meant, error } = Int64ParameterSchema.safeParse(idText);
  const { id = meant ?? 0n } = others as { readonly id?: unknown };
  if (meant === undefined) {
    const problem =
      typeof idText === 'string' ? error.issues[0]?.message : 'must be a string with the digits of the id';
    return { ...others, id, idText: new IdTextIssue(String(problem)) };
  }
  const written = writeNumber(id);
  if (written === undefined || (isInt64(id) && BigInt(id) === meant)) return { ...others, id };
  const problem =
    `"${meant}" and id ${written} differ: send idText without id, because JavaScript's JSON.parse and other JSON parsers round ` +
    'integers beyond 2^53';
  return { ...others, id: meant, idText: new IdTextIssue(problem) };
}

/** A number of `parseExactJson`, as a message shows it; `undefined` for anything else. */
function writeNumber(value: unknown): string | undefined {
  if (value instanceof NumberLiteral) return shorten(value.text, 40);
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/**
 * An object with the id of a plant: as `id`, as `idText`, or as both, which must agree then. It gives only `id`.
 *
 * @param shape its other members
 */
export const createIdentifiedSchema = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodType<{ id: bigint } & z.output<z.ZodObject<Shape>>> =>
  z.preprocess(
    readIdText,
    z.object(
      {
        id: Int64Schema.meta({ description: 'Identification number of the plant' }),
        idText: z
          .custom<never>(() => false, { error: ({ input }) => (input as IdTextIssue).message })
          .meta({
            description:
              'The same number as text, in the shortest decimal notation, for programs whose numbers are not exact beyond 2^53. ' +
              'It suffices without `id`; with `id`, both must be the same number',
            override: { type: 'string', pattern: shortest.source },
          })
          .optional(),
        ...shape,
      },
      { error: 'must be a JSON object' },
    ),
    // The compiler does not know what a shape gives before it knows the shape.
  ) as never;

/** What a client sends to create a plant; fields beyond these are ignored. */
export const NewPlantSchema = createIdentifiedSchema(PlantSchema.shape).meta({
  id: 'NewPlant',
  description:
    'A plant to create, under an id that the client chooses. `id` and `name` are required; `idText` can take the place of `id`.',
  // An override, since zod leaves the examples of a transforming schema out of its input.
  override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    Object.assign(jsonSchema, {
      required: jsonSchema.required?.filter((name) => name !== 'id'),
      // Generators ignore `if`, and make one plain type for either. Of `anyOf` some make `any`, and others a wrapper.
      if: { required: ['idText'] },
      else: { required: ['id'] },
      examples: [{ id: 1, name: 'Monstera deliciosa', tag: 'houseplant' }],
    });
  },
}) as z.ZodType<NewPlant, NewPlantInput>;

/** A plant as the service shows it by its id: what `Plant` has, and more. */
export const StoredPlantSchema = z
  .object({
    id: z.bigint().meta({
      description: 'Identification number of the plant',
      override: { type: 'integer', format: 'int64' },
    }),
    idText: z.string().regex(shortest).meta({
      description:
        'The same number as text, for programs whose numbers are not exact beyond 2^53: use it in paths, and as a key',
    }),
    ...PlantSchema.shape,
    addedAt: z.iso
      .datetime()
      .meta({
        description:
          'When the plant was stored, if that is known: none is kept of plants of version 1.2 and before',
        override: { pattern: undefined },
      })
      .optional(),
  })
  .meta({
    id: 'StoredPlant',
    description: 'A plant in the store, under its id.',
    override: {
      examples: [
        {
          id: 1,
          idText: '1',
          name: 'Monstera deliciosa',
          tag: 'houseplant',
          addedAt: '2026-11-25T10:00:00.000Z',
        },
      ],
    },
  }) satisfies z.ZodType<StoredPlant, StoredPlant>;

/** Takes and gives the text of the header. */
const entityTags = (description: string, isValid = isEntityTags) =>
  z
    .string()
    .refine(isValid, { error: 'must be the ETag of a reply, with its double quotes, or *' })
    .optional()
    .meta({ description });

/** What must be there (RFC 9110, section 13.1.1). */
export const IfMatchSchema = entityTags(
  'The `ETag` of the plant that you mean, from any reply; `*` for any plant',
);

/** What must not be there (RFC 9110, section 13.1.2). Many tools send a header without a value: it excludes nothing. */
const excludedTags = (description: string) =>
  entityTags(description, (text) => text === '' || isEntityTags(text));

export const IfNoneMatchSchema = excludedTags(
  'The `ETag` of a plant that you do not mean; `*` for any plant',
);

/** The same where it replaces a plant, or reuses an id. */
export const IfNoneMatchOrReuseSchema = excludedTags(
  '`*` reuses the ID of a deleted plant; an `ETag` updates any plant but that one. Send this header, `If-Match`, or both',
);

/** Reports what `parseQuery` gives in place of a text. */
const orElse = (expected: string | ((input: unknown) => string)) => ({
  error: ({ input }: { readonly input?: unknown }) => {
    if (Array.isArray(input)) return 'must be given once';
    if (input === null) return 'must be percent-encoded UTF-8';
    return typeof expected === 'string' ? expected : expected(input);
  },
});

/** A text of a query, up to a length in Unicode code points. */
const createQueryTextSchema = (maxLength: number) =>
  z
    .string(orElse('must be a string'))
    // A code point has two UTF-16 code units at most; to count those of a long text takes long.
    .refine((text) => text.length <= 2 * maxLength && [...text].length <= maxLength, {
      error: `must have at most ${maxLength} characters`,
    })
    .meta({ override: { maxLength } });

/** A whole number of a query: takes the decimal digits as text, gives a `number`. */
const createQueryNumberSchema = (minimum: number, maximum: number, value: number) =>
  z
    .custom<number>(
      (text) =>
        typeof text === 'string' &&
        /^(0|[1-9]\d{0,3})$/.test(text) &&
        Number(text) >= minimum &&
        Number(text) <= maximum,
      orElse((text) => explainNotation(text, minimum, maximum)),
    )
    .meta({ override: { type: 'integer', minimum, maximum, default: value } })
    .transform(Number);

const timeMessage =
  'must be a time with its offset from UTC, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00';

/** A time of a body or a file: gives milliseconds since 1970. What is finer is left out. */
export const TimeSchema = z
  .string({ error: timeMessage })
  .refine((text) => parseTime(text, 'down') !== undefined, { error: timeMessage })
  .meta({ override: { format: 'date-time' } })
  .transform((text) => parseTime(text, 'down') ?? Number.NaN);

/** The times of plants have no more digits, so that cursors of one bound stay what they were in version 1.4. */
const millisecondsInUtc = /^[\d-]+T\d\d:\d\d(:[0-5]\d(\.\d{1,3})?)?Z$/;

/**
 * A bound of a query: gives it in UTC and milliseconds. Between two milliseconds it is the later one, which has the same plants
 * before and after it, since theirs are whole.
 */
export const QueryTimeSchema = z
  .string(orElse(timeMessage))
  .refine((text) => parseBound(text) !== undefined, { error: timeMessage })
  .meta({ override: { format: 'date-time' } })
  .transform((text) =>
    millisecondsInUtc.test(text) ? text : new Date(parseBound(text) ?? Number.NaN).toISOString(),
  );

/** In a query, a plus sign that is not percent-encoded is a space. */
function parseBound(text: string): number | undefined {
  return parseTime(text.replace(/ (?=\d\d:\d\d$)/, '+'), 'up');
}

/** Where a page begins. An empty one means the beginning, as none does: many tools send parameters without a value. */
const PageStartSchema = createQueryTextSchema(QUERY_MAX_LENGTHS.after).transform((text) => text || undefined);

/** The most plants of a page. */
const LimitSchema = createQueryNumberSchema(1, MAX_PLANTS, 100);

/**
 * A query: one parameter that is not meant to be there is an issue, since a filter that nobody knows would give what nobody asked
 * for.
 */
const createQuerySchema = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? describeQuery(Object.keys(shape)) : undefined),
  });

function describeQuery(names: readonly string[]): string {
  return names.length === 0
    ? 'is not known: there are none here'
    : `is not known: there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
}

/** The query of an operation that takes none, as which a client need not pass it. */
export const NoQuerySchema: z.ZodType<Record<never, never>, Record<never, never>> = createQuerySchema({});

/** The query of a list. */
export const PlantQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'How many plants a page has at most' }),
  after: PageStartSchema.optional().meta({
    description: 'The `next` of the page before, of the same query; without it, or empty, the list begins',
  }),
  order: z
    .enum(['id', 'newest'], orElse('must be id or newest'))
    .optional()
    .meta({
      description: '`id` for ascending ids; `newest` for the latest first, and those without a time last',
      override: { default: 'id' },
    }),
  tag: withoutNul(createQueryTextSchema(QUERY_MAX_LENGTHS.tag))
    .optional()
    .meta({ description: 'Plants with exactly this tag' }),
  q: withoutNul(createQueryTextSchema(QUERY_MAX_LENGTHS.q)).optional().meta({
    description:
      'Plants with this in their name, in upper or lower case of any script, and in composed or decomposed letters',
  }),
  addedFrom: QueryTimeSchema.optional().meta({
    description: 'Plants that were stored at this time or later; those without a time are left out',
  }),
  addedBefore: QueryTimeSchema.optional().meta({
    description: 'Plants that were stored before this time; those without a time are left out',
  }),
}) satisfies z.ZodType<PlantQuery, PlantQuery>;

/** A page of a list. */
export const PlantPageSchema = z
  .object({
    plants: z.array(StoredPlantSchema),
    next: z
      .string()
      .optional()
      .meta({ description: 'Where the next page begins, to be passed as `after`; the last page has none' }),
  })
  .meta({
    id: 'PlantPage',
    description: 'A page of the plants in the store.',
  }) satisfies z.ZodType<PlantPage>;

/** The query of a page of tags. */
export const TagQuerySchema = createQuerySchema({
  after: PageStartSchema.optional().meta({
    description: 'The `next` of the page before; without it, or empty, the count begins',
  }),
}) satisfies z.ZodType<TagQuery, TagQuery>;

/** A page of tags. */
export const TagPageSchema = z
  .object({
    tags: z.array(
      z.object({
        tag: PlantSchema.shape.name.meta({ description: 'A tag of plants' }),
        plants: z
          .int()
          .min(1)
          .meta({
            description: 'How many plants have it, of those that this page has examined',
            override: { maximum: undefined },
          }),
      }),
    ),
    next: z
      .string()
      .optional()
      .meta({ description: 'Where the next page begins, to be passed as `after`; the last page has none' }),
  })
  .meta({
    id: 'TagPage',
    description: 'How many plants have each tag, in a part of the store.',
  }) satisfies z.ZodType<TagPage>;

/** The query of a page of changes. */
export const ChangeQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'How many changes a page has at most' }),
  after: createQueryTextSchema(QUERY_MAX_LENGTHS.after).optional().meta({
    description:
      'The `next` of the page before; `0` for all that is stored; without it only later changes come',
  }),
  wait: createQueryNumberSchema(0, MAX_WAIT_SECONDS, 0)
    .optional()
    .meta({ description: 'For how long the reply waits for a change if there is none, in seconds' }),
}) satisfies z.ZodType<ChangeQuery, ChangeQuery>;

/** The last change of a plant. */
const ChangeSchema = z
  .object({
    kind: z.enum(['created', 'updated', 'deleted']),
    id: StoredPlantSchema.shape.id,
    idText: StoredPlantSchema.shape.idText,
    plant: StoredPlantSchema.optional().meta({
      description: 'The plant as it is since, unless it was deleted',
    }),
    at: z.iso
      .datetime()
      .meta({ description: 'When that was, if it is known', override: { pattern: undefined } })
      .optional(),
  })
  .refine(({ kind, plant }) => kind === 'deleted' || plant !== undefined, {
    path: ['plant'],
    error: 'is required',
  })
  .meta({ id: 'Change', description: 'The last change of a plant.' }) as unknown as z.ZodType<Change, Change>;

/** A page of changes. */
export const ChangePageSchema = z
  .object({
    changes: z.array(ChangeSchema),
    next: z.string().meta({
      description:
        'Where the next page begins, to be passed as `after`. There are no more where it is the same again, and no changes are here',
    }),
  })
  .meta({
    id: 'ChangePage',
    description: 'A page of the changes, in their order.',
  }) satisfies z.ZodType<ChangePage>;

/** A time that a reply shows. */
const shownTime = (description: string) =>
  z.iso.datetime().meta({ description, override: { pattern: undefined } });

const ShownRateSchema = z
  .int()
  .min(1)
  .meta({
    description: 'How many requests it may make in a minute, if it has a limit of its own',
    override: { maximum: undefined },
  })
  .optional();

/** The token of a request. */
export const OwnTokenSchema = z
  .object({
    id: StoredPlantSchema.shape.id
      .meta({
        description: 'The number of an access token of the service, as the operator and the log call it',
      })
      .optional(),
    name: z
      .string()
      .meta({ description: 'The name of an access token of the service, which the operator gave it' })
      .optional(),
    subject: z
      .string()
      .meta({ description: 'Who a JSON Web Token was issued for: its claim `sub`' })
      .optional(),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What the token permits, as operations name it' }),
    expiresAt: z.iso
      .datetime()
      .meta({
        description: 'When it is no longer accepted, unless it is revoked before; without it never',
        override: { pattern: undefined },
      })
      .optional(),
    ratePerMinute: ShownRateSchema,
  })
  .meta({
    id: 'OwnToken',
    description:
      'The token of the request: of the service, with an id and a name, or of an identity provider, with a subject.',
    override: {
      examples: [
        { id: 3, name: 'web-shop', scopes: ['create', 'read'], expiresAt: '2027-11-25T10:00:00.000Z' },
      ],
    },
  }) satisfies z.ZodType<OwnToken>;

/** An access token of the service, without its text. */
const TokenSchema = z
  .object({
    id: StoredPlantSchema.shape.id.meta({ description: 'The number of the token' }),
    name: z.string().meta({ description: 'Who or what it is for' }),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What it permits, as operations name it' }),
    createdAt: shownTime('When it was created'),
    expiresAt: shownTime('When it is no longer accepted; without it never').optional(),
    revokedAt: shownTime('When it was revoked, if it was').optional(),
    lastUsedAt: shownTime('When it was last used, to the hour, if it was').optional(),
    ratePerMinute: ShownRateSchema,
  })
  .meta({
    id: 'Token',
    description: 'An access token of the service, without its text.',
    override: {
      examples: [
        {
          ...{ id: 3, name: 'web-shop', scopes: ['create', 'read'], ratePerMinute: 600 },
          createdAt: '2026-11-25T10:00:00.000Z',
          expiresAt: '2027-11-25T10:00:00.000Z',
        },
      ],
    },
  }) satisfies z.ZodType<Token>;

/** The access tokens. */
export const TokenListSchema = z
  .object({ tokens: z.array(TokenSchema) })
  .meta({ id: 'TokenList', description: 'Access tokens, by their ids.' }) satisfies z.ZodType<TokenList>;

/** A new token, with its text. */
export const IssuedTokenSchema = z
  .object({
    ...TokenSchema.shape,
    secret: z.string().meta({ description: 'Its text, `pst_` and 49 characters, which is shown this once' }),
  })
  .meta({
    id: 'IssuedToken',
    description: 'A new access token, with its text, which nobody can show again.',
  }) satisfies z.ZodType<IssuedToken>;

/** The id of a token as a parameter in a path. */
export const TokenIdSchema = Int64ParameterSchema.meta({ description: 'The number of the token' });

/** Reports a field that is missing as such. */
const orRequired = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is required' : expected),
});

/** An integer in a body. */
const createIntegerSchema = (minimum: number, maximum: number) => {
  const error = orRequired(`must be an integer from ${minimum} to ${maximum}`);
  return z.int(error).min(minimum, error).max(maximum, error);
};

const ExpirySchema = TimeSchema.refine((ms) => ms > Date.now(), { error: 'must be in the future' }).transform(
  (ms) => new Date(ms).toISOString(),
);

/** What a token is created by. */
export const NewTokenSchema = z
  .object(
    {
      name: z
        .string(orRequired('must be a string'))
        .refine((text) => text.trim() !== '' && !/\p{Cc}/u.test(text) && text.isWellFormed(), {
          error: 'must be one line of text',
        })
        .refine((text) => [...text].length <= TOKEN_NAME_MAX_LENGTH, {
          error: `must have at most ${TOKEN_NAME_MAX_LENGTH} characters`,
        })
        .meta({
          description: 'Who or what it is for',
          override: { minLength: 1, maxLength: TOKEN_NAME_MAX_LENGTH },
        }),
      scopes: z
        .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }), orRequired('must be a list'))
        .min(1, { error: 'must have at least one scope' })
        .meta({ description: 'What it permits: nothing that the token of the request does not' }),
      expiresAt: ExpirySchema.meta({
        description:
          'When it is no longer accepted, at the latest when the token of the request is not, which is the default',
      }).optional(),
      ratePerMinute: createIntegerSchema(1, MAX_RATE_PER_MINUTE)
        .meta({
          description:
            'How many requests it may make in a minute, in place of what the operator has set: no more than the token of the ' +
            'request, whose own limit is the default',
        })
        .optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'NewToken',
    description: 'A token to create, which gives no more than the token of the request has.',
    override: { examples: [{ name: 'web-shop', scopes: ['create', 'read'], ratePerMinute: 600 }] },
  }) satisfies z.ZodType<NewToken, NewToken>;

/** How a token is replaced. */
export const TokenRotationSchema = z
  .object(
    {
      overlapSeconds: createIntegerSchema(0, MAX_OVERLAP_SECONDS).meta({
        description: 'For how long the old token works on at most; 0 revokes it',
      }),
      expiresAt: ExpirySchema.meta({
        description:
          'When the new token is no longer accepted; by default after the time that the old one was issued for, and never after ' +
          'the token of the request',
      }).optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'TokenRotation',
    description: 'How a token is replaced.',
    override: { examples: [{ overlapSeconds: 86_400 }] },
  }) satisfies z.ZodType<TokenRotation, TokenRotation>;

/**
 * The list of a batch. Each item is validated for itself, since an invalid one must not stop the others, and how many there are is
 * checked apart, since too many have an error number of their own.
 */
const createBatchListSchema = <Item>(
  what: string,
  { items, shape, ...meta }: { items: object; shape: JsonShape; description: string },
) =>
  z
    .custom<readonly unknown[]>((value) => Array.isArray(value) && value.length > 0, {
      error: ({ input }) => {
        if (input === undefined) return 'is required';
        return Array.isArray(input) ? `must have at least one ${what}` : `must be a list of ${what}s`;
      },
    })
    .meta({ ...meta, override: { type: 'array', items, minItems: 1, maxItems: MAX_PLANTS } })
    .register(shapes, { items: shape, maxItems: MAX_PLANTS }) as unknown as z.ZodType<
    readonly unknown[],
    readonly Item[]
  >;

/** A batch of plants. */
export const NewPlantsSchema = z
  .object(
    {
      plants: createBatchListSchema<NewPlantInput>('plant', {
        description:
          'One that is not a NewPlant does not make the request invalid: the reply is 200, with the status 400 in its ' +
          'result. A gateway that validates requests by this schema would reject the whole batch',
        items: { $ref: '#/components/schemas/NewPlant' },
        shape: jsonShapeOf(NewPlantSchema),
      }),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'NewPlants', description: 'Plants to create, each under an id that the client chooses.' });

/** A batch of ids, each of which is validated by `Int64ParameterSchema`: as text, since generated clients round numbers. */
export const PlantIdsSchema = z
  .object(
    {
      ids: createBatchListSchema<string>('id', {
        description:
          'The digits of each in the shortest decimal notation, as text, such as the `idText` of a plant. One that is not, ' +
          'such as a number, does not make the request invalid: the reply is 200, with the status 400 in its result',
        items: { type: 'string', pattern: shortest.source, examples: ['9007199254740993'] },
        shape: {},
      }),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'PlantIds', description: 'The ids of plants.' });

/** The outcomes of a batch, each of which is a success or an error of one of the statuses. */
const createResultsSchema = <Result>(
  name: 'Create' | 'Get' | 'Delete',
  success: z.ZodObject,
  statuses: readonly number[],
) => {
  const failure = z.object({
    status: z.literal(statuses).meta({ override: { type: 'integer' } }),
    error: z
      .int32()
      .meta({ override: { type: 'integer', format: 'int32', minimum: undefined, maximum: undefined } }),
    message: z.string(),
  });
  const result = z.union([success, failure]).meta({
    id: `${name}Result`,
    description: 'The outcome of one plant: what a request of its own would have got.',
  });
  return z
    .object({ results: z.array(result as unknown as z.ZodType<Result, Result>) })
    .meta({ id: `${name}Results`, description: 'The outcome of each plant of a batch, in the order sent.' });
};

const successStatus = (status: number) => z.literal(status).meta({ override: { type: 'integer' } });

/** What became of the plants of a batch. */
export const CreateResultsSchema = createResultsSchema<CreateResult>(
  'Create',
  z.object({
    status: successStatus(200),
    replayed: z.boolean().meta({ description: 'Whether the same plant was stored before' }),
  }),
  [400, 500, 503],
) satisfies z.ZodType<CreateResults>;
export const GetResultsSchema = createResultsSchema<GetResult>(
  'Get',
  z.object({ status: successStatus(200), plant: StoredPlantSchema }),
  [400, 404, 500, 503],
) satisfies z.ZodType<GetResults>;
export const DeleteResultsSchema = createResultsSchema<DeleteResult>(
  'Delete',
  z.object({ status: successStatus(204) }),
  [400, 404, 500, 503],
) satisfies z.ZodType<DeleteResults>;

/** The body of every reply that is not a success. */
export const ErrorSchema = z
  .object({
    error: z.int32().meta({
      description: 'Numeric error value: the HTTP status times 100, plus a serial number',
      override: { type: 'integer', format: 'int32', minimum: undefined, maximum: undefined },
    }),
    message: z.string().meta({ description: 'Error message text' }),
  })
  .meta({
    id: 'Error',
    // No example here: mock servers would send it with every status. Each reply has examples of its own errors.
    description: 'What went wrong, as a stable number and as a sentence that explains what to do.',
  });

/** `ErrorSchema`, typed by the numbers that are listed for a status. */
export const errorSchema = <Status extends number>(_status: Status) =>
  ErrorSchema as unknown as z.ZodType<ErrorBody<ErrorNumber<ErrorNameOf<Status>>>>;
