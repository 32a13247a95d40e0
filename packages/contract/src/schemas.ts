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
import type { AuditAction } from './operations.js';
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
  orElse,
  orRequired,
  PageStartSchema,
  ShownInt64Schema,
  shownTime,
  TextSchema,
  TimeSchema,
} from './value-schemas.js';

export const plants = schemasOf(resources.plant);
export const { fields: PlantSchema, create: NewPlantSchema } = plants;

/** The query of an operation without parameters. Clients can omit it. */
export const NoQuerySchema: z.ZodType<Record<never, never>, Record<never, never>> = createQuerySchema({});

export const TagQuerySchema = createQuerySchema({
  after: PageStartSchema.optional().meta({
    description: 'The `next` value of the previous page. The default is the first page',
  }),
});

export const TagPageSchema = z
  .object({
    tags: z.array(
      z.object({
        tag: TextSchema.meta({ description: 'The tag' }),
        plants: z
          .int()
          .min(1)
          .meta({
            description: 'How many plants have the tag',
            override: { maximum: undefined },
          }),
      }),
    ),
    next: NextPageSchema,
  })
  .meta({
    id: 'TagPage',
    description: 'A page of tags, in order, with the number of plants for each tag.',
  });

export const ChangeQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'The maximum number of changes on a page' }),
  after: createQueryTextSchema(QUERY_MAX_LENGTHS.after).optional().meta({
    description:
      'The `next` value of the previous page, or `0` for everything that is stored. By default, only changes after this request are returned',
  }),
  wait: createQueryNumberSchema(0, MAX_WAIT_SECONDS, 0)
    .optional()
    .meta({ description: 'How many seconds to wait if there are no changes' }),
});

export const HistoryQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'The maximum number of states on a page' }),
  after: PageStartSchema.optional().meta({
    description: 'The `next` value of the previous page. By default, the list starts with the current state',
  }),
});

const ShownRateSchema = z
  .int()
  .min(1)
  .meta({
    description: 'The maximum number of requests per minute, if the token has its own limit',
    override: { maximum: undefined },
  })
  .optional();

export const OwnTokenSchema = z
  .object({
    id: ShownInt64Schema.meta({
      description: 'The ID of an access token, as shown in the log and on the command line',
    }).optional(),
    name: z.string().meta({ description: 'The name of an access token' }).optional(),
    subject: z.string().meta({ description: 'The `sub` claim of a JSON Web Token' }).optional(),
    scopes: z.array(z.enum(scopes)).meta({ description: "The token's scopes" }),
    expiresAt: shownTime('When the token expires. If absent, the token never expires').optional(),
    ratePerMinute: ShownRateSchema,
  })
  .meta({
    id: 'OwnToken',
    description:
      'The token that authenticated the request. An access token has an ID and a name; a JSON Web Token has a subject.',
    override: {
      examples: [
        { id: 3, name: 'web-shop', scopes: ['create', 'read'], expiresAt: '2027-11-25T10:00:00.000Z' },
      ],
    },
  });

const TokenSchema = z
  .object({
    id: ShownInt64Schema.meta({ description: 'The token ID' }),
    name: z.string().meta({ description: 'Who or what the token is for' }),
    scopes: z.array(z.enum(scopes)).meta({ description: "The token's scopes" }),
    createdAt: shownTime('When the token was created'),
    expiresAt: shownTime('When the token expires. If absent, the token never expires').optional(),
    revokedAt: shownTime('When the token was revoked').optional(),
    lastUsedAt: shownTime('When the token was last used, updated at most hourly').optional(),
    ratePerMinute: ShownRateSchema,
  })
  .meta({
    id: 'Token',
    description: 'An access token, without its secret.',
    override: {
      examples: [
        {
          id: 3,
          name: 'web-shop',
          scopes: ['create', 'read'],
          ratePerMinute: 600,
          createdAt: '2026-11-25T10:00:00.000Z',
          expiresAt: '2027-11-25T10:00:00.000Z',
        },
      ],
    },
  });

export const TokenListSchema = z
  .object({ tokens: z.array(TokenSchema) })
  .meta({ id: 'TokenList', description: 'Access tokens, ordered by ID.' });

export const IssuedTokenSchema = z
  .object({
    ...TokenSchema.shape,
    secret: z
      .string()
      .meta({ description: 'The token itself: `pst_` followed by 49 characters. It is shown only once' }),
  })
  .meta({
    id: 'IssuedToken',
    description: 'A new access token, with its secret, which is shown only once.',
  });

export const TokenIdSchema = Int64ParameterSchema.meta({ description: 'The token ID' });

const createIntegerSchema = (minimum: number, maximum: number) => {
  const error = orRequired(`must be an integer from ${minimum} to ${maximum}`);
  return z.int(error).min(minimum, error).max(maximum, error);
};

const ExpirySchema = TimeSchema.refine((ms) => ms > Date.now(), { error: 'must be in the future' }).transform(
  (ms) => new Date(ms).toISOString(),
);

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
          description: 'Who or what the token is for',
          override: { minLength: 1, maxLength: TOKEN_NAME_MAX_LENGTH },
        }),
      scopes: z
        .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }), orRequired('must be a list'))
        .min(1, { error: 'must have at least one scope' })
        .meta({ description: "The token's scopes. Your token must have all of these scopes" }),
      expiresAt: ExpirySchema.meta({
        description:
          'When the token expires. It cannot expire later than your token. By default, both expire at the same time',
      }).optional(),
      ratePerMinute: createIntegerSchema(1, MAX_RATE_PER_MINUTE)
        .meta({
          description:
            'The maximum number of requests per minute, instead of the limit that the operator set. It cannot be higher than the limit ' +
            'for your token, which is the default',
        })
        .optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'NewToken',
    description: 'A token to create. It cannot exceed the limits of your token.',
    override: { examples: [{ name: 'web-shop', scopes: ['create', 'read'], ratePerMinute: 600 }] },
  });

export const TokenRotationSchema = z
  .object(
    {
      overlapSeconds: createIntegerSchema(0, MAX_OVERLAP_SECONDS).meta({
        description:
          'The maximum number of seconds that the old token continues to work. The value 0 revokes it immediately',
      }),
      expiresAt: ExpirySchema.meta({
        description:
          'When the new token expires. It cannot expire later than your token. By default, it has the same lifetime as ' +
          'the old token',
      }).optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'TokenRotation',
    description: 'Options for rotating a token.',
    override: { examples: [{ overlapSeconds: 86_400 }] },
  });

export const auditActions = [
  'token_created',
  'token_rotated',
  'token_revoked',
  'token_imported',
  'restored',
  'imported',
] as const satisfies readonly AuditAction[];

export const AuditQuerySchema = createQuerySchema({
  limit: LimitSchema.optional().meta({ description: 'The maximum number of entries on a page' }),
  after: PageStartSchema.optional().meta({
    description: 'The `next` value of the previous page. By default, the list starts with the newest entry',
  }),
  action: z
    .enum(auditActions, orElse(`must be one of ${auditActions.join(', ')}`))
    .optional()
    .meta({ description: 'Only entries with this action' }),
}).meta({ id: 'AuditQuery' });

const countSchema = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, override: { maximum: undefined } });

const AuditEntrySchema = z
  .object({
    number: z
      .int()
      .min(1)
      .meta({
        description: 'The entry number. Later entries have larger numbers',
        override: { maximum: undefined },
      }),
    at: shownTime('When the action was performed'),
    by: z
      .object({
        id: ShownInt64Schema.meta({ description: 'The ID of an access token' }).optional(),
        name: z.string().meta({ description: 'The name of the access token at that time' }).optional(),
        subject: z.string().meta({ description: 'The subject of a JSON Web Token' }).optional(),
        user: z.string().meta({ description: 'The operating-system user who ran a command' }).optional(),
      })
      .meta({
        description: 'Who performed the action: an access token, a JSON Web Token, or a command-line user',
      }),
    action: z.enum(auditActions).meta({ description: 'The action that was performed' }),
    token: TokenSchema.pick({ id: true, name: true, scopes: true, expiresAt: true, ratePerMinute: true })
      .meta({ description: 'The token as it was at that time; for a rotation, the new token' })
      .optional(),
    replaced: TokenSchema.pick({ id: true, name: true })
      .meta({ description: 'The token that a rotation replaced' })
      .optional(),
    backup: z
      .object({
        name: z.string().meta({ description: 'The name of the file or object' }),
        madeAt: shownTime('When the backup was made'),
        storeId: z.string().meta({ description: 'The ID of the backed-up store, if it had one' }).optional(),
      })
      .meta({ description: 'The backup that was restored' })
      .optional(),
    file: z
      .object({
        name: z
          .string()
          .meta({ description: 'The file name, which is absent for standard input' })
          .optional(),
        resources: z.array(z.string()).meta({ description: 'The resources that were imported' }),
        imported: countSchema('How many records were stored'),
        alreadyThere: countSchema('How many records already existed'),
        bad: countSchema('How many lines were rejected'),
        complete: z.boolean().meta({ description: 'Whether the import reached the end of the file' }),
      })
      .meta({ description: 'The file that was imported, and the outcome for its lines' })
      .optional(),
  })
  .meta({
    id: 'AuditEntry',
    description: 'A recorded action and who performed it.',
    override: {
      examples: [
        {
          number: 12,
          at: '2026-12-05T10:00:00.000Z',
          by: { id: 2, name: 'operations' },
          action: 'token_created',
          token: { id: 3, name: 'web-shop', scopes: ['create', 'read'] },
        },
      ],
    },
  });

export const AuditPageSchema = z.object({ entries: z.array(AuditEntrySchema), next: NextPageSchema }).meta({
  id: 'AuditPage',
  description: 'A page of the audit log, with the newest entries first.',
});

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
    description: 'An error, with a stable number and a message that explains what to do.',
  });

/** Returns `ErrorSchema`, typed with the error numbers of a status. */
export const errorSchema = <Status extends number>(_status: Status) =>
  ErrorSchema as unknown as z.ZodType<ErrorBody<ErrorNumber<ErrorNameOf<Status>>>>;
