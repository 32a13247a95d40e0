import * as z from 'zod';
import { scopes } from './access-token.js';
import type { ErrorBody, ErrorNameOf, ErrorNumber } from './errors.js';
import {
  MAX_OVERLAP_SECONDS,
  MAX_RATE_PER_MINUTE,
  MAX_WAIT_SECONDS,
  QUERY_MAX_LENGTHS,
  TOKEN_NAME_MAX_LENGTH,
} from './limits.js';
import type {
  ChangeQuery,
  HistoryQuery,
  IssuedToken,
  NewToken,
  OwnToken,
  TagPage,
  TagQuery,
  Token,
  TokenList,
  TokenRotation,
} from './operations.js';
import { schemasOf } from './record-schemas.js';
import { resources } from './resources.js';
import {
  createQueryNumberSchema,
  createQuerySchema,
  createQueryTextSchema,
  ErrorNumberSchema,
  Int64ParameterSchema,
  LimitSchema,
  NextPageSchema,
  orRequired,
  PageStartSchema,
  ShownInt64Schema,
  shownTime,
  TextSchema,
  TimeSchema,
} from './value-schemas.js';

export const {
  fields: PlantSchema,
  create: NewPlantSchema,
  stored: StoredPlantSchema,
  query: PlantQuerySchema,
  page: PlantPageSchema,
  batch: NewPlantsSchema,
  ids: PlantIdsSchema,
  createResults: CreateResultsSchema,
  getResults: GetResultsSchema,
  deleteResults: DeleteResultsSchema,
  changePage: ChangePageSchema,
  history: PlantHistorySchema,
  id: PlantIdSchema,
  ifMatch: IfMatchSchema,
  ifNoneMatch: IfNoneMatchSchema,
  ifNoneMatchOrReuse: IfNoneMatchOrReuseSchema,
} = schemasOf(resources.plant);

/** The query of an operation that takes none, as which a client need not pass it. */
export const NoQuerySchema: z.ZodType<Record<never, never>, Record<never, never>> = createQuerySchema({});

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
        tag: TextSchema.meta({ description: 'A tag of plants' }),
        plants: z
          .int()
          .min(1)
          .meta({
            description: 'How many plants have it, of those that this page has examined',
            override: { maximum: undefined },
          }),
      }),
    ),
    next: NextPageSchema,
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

/** The query of a page of the states of a record. */
export const HistoryQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'How many states a page has at most' }),
  after: PageStartSchema.optional().meta({
    description:
      'The `next` of the page before; without it, or empty, the page begins with the current state',
  }),
}) satisfies z.ZodType<HistoryQuery, HistoryQuery>;

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
    id: ShownInt64Schema.meta({
      description: 'The number of an access token of the service, as the operator and the log call it',
    }).optional(),
    name: z
      .string()
      .meta({ description: 'The name of an access token of the service, which the operator gave it' })
      .optional(),
    subject: z
      .string()
      .meta({ description: 'Who a JSON Web Token was issued for: its claim `sub`' })
      .optional(),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What the token permits, as operations name it' }),
    expiresAt: shownTime(
      'When it is no longer accepted, unless it is revoked before; without it never',
    ).optional(),
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
    id: ShownInt64Schema.meta({ description: 'The number of the token' }),
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

/** The body of every reply that is not a success. */
export const ErrorSchema = z
  .object({
    error: ErrorNumberSchema.meta({
      description: 'Numeric error value: the HTTP status times 100, plus a serial number',
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
