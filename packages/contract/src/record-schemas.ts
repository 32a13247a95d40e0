import * as z from 'zod';
import { isEntityTags } from './conditions.js';
import type { JsonShape } from './exact-json/parse.js';
import { isInt64, NumberLiteral } from './int64.js';
import { MAX_RECORDS, QUERY_MAX_LENGTHS } from './limits.js';
import { shorten } from './messages.js';
import type { CreateResults, DeleteResults } from './operations.js';
import {
  capitalize,
  type Field,
  fieldsOf,
  filtersOf,
  hasOwnInput,
  isFirst,
  type Kind,
  ordersOf,
  pluralFilterOf,
  prefixOf,
  type Resource,
  searchedFieldsOf,
  withArticle,
} from './resource.js';
import type { ResourceTypes } from './types.js';
import {
  createQuerySchema,
  createQueryTextSchema,
  createSeveralSchema,
  ErrorNumberSchema,
  Int64ParameterSchema,
  Int64Schema,
  integerPattern,
  jsonShapeOf,
  LimitSchema,
  NextPageSchema,
  orElse,
  orRequired,
  PageStartSchema,
  QueryTimeSchema,
  ShownInt64Schema,
  shapes,
  shownTime,
  TextSchema,
  TimeSchema,
  withoutNul,
} from './value-schemas.js';

export type RecordTypes = Readonly<Record<keyof ResourceTypes[keyof ResourceTypes], unknown>>;

type ObjectSchema<Output, Input = Output> = z.ZodType<Output, Input> & {
  readonly shape: {
    readonly [Name in keyof Output]-?: undefined extends Output[Name]
      ? z.ZodOptional<z.ZodType<Exclude<Output[Name], undefined>>>
      : z.ZodType<Output[Name]>;
  };
};

type Condition = z.ZodOptional<z.ZodString>;

export interface Schemas<Types extends RecordTypes> {
  /** The fields of a request body: the same schema as `shown`, unless a value can be written in several ways. */
  readonly fields: ObjectSchema<Types['fields'], Types['input']>;
  /** The fields of a reply. */
  readonly shown: ObjectSchema<Types['fields']>;
  /** Ignores unknown members. */
  readonly create: z.ZodType<Types['create'], Types['createInput']>;
  readonly stored: ObjectSchema<Types['stored']>;
  readonly query: ObjectSchema<Types['query']>;
  readonly page: z.ZodType<Types['page'], Types['page']>;
  readonly batch: z.ZodType<Types['batch'], Types['batch']>;
  readonly ids: z.ZodType<Types['ids'], Types['ids']>;
  /** An item of `updates`, for the OpenAPI document. */
  readonly update: z.ZodType;
  readonly updates: z.ZodType<Types['updates'], Types['updates']>;
  readonly deletions: z.ZodType<Types['deletions'], Types['deletions']>;
  readonly createResults: z.ZodType<CreateResults, CreateResults>;
  readonly getResults: z.ZodType<Types['getResults'], Types['getResults']>;
  readonly updateResults: z.ZodType<Types['updateResults'], Types['updateResults']>;
  readonly deleteResults: z.ZodType<DeleteResults, DeleteResults>;
  readonly changePage: z.ZodType<Types['changePage'], Types['changePage']>;
  readonly history: z.ZodType<Types['history'], Types['history']>;
  /** The ID in a path. */
  readonly id: z.ZodType<bigint, number | bigint>;
  readonly ifMatch: Condition;
  readonly ifNoneMatch: Condition;
  /** `If-None-Match` of an update, which can also reuse an ID. */
  readonly ifNoneMatchOrReuse: Condition;
}

/** The schemas of a value in a request body, in a reply, and, if lists can be filtered by it, in a query. */
interface KindSchemas {
  readonly body: z.ZodType;
  readonly shown: z.ZodType;
  readonly query?: z.ZodType;
}

const BooleanSchema = z.boolean(orRequired('must be true or false'));

const kinds: Readonly<Record<Kind, KindSchemas>> = {
  text: {
    body: TextSchema,
    shown: TextSchema,
    query: withoutNul(createQueryTextSchema(QUERY_MAX_LENGTHS.tag)),
  },
  int64: {
    body: Int64Schema,
    shown: ShownInt64Schema,
    query: z
      .string(orElse('must be a string'))
      .meta({ override: { pattern: integerPattern.source } })
      .pipe(Int64ParameterSchema as unknown as z.ZodType<bigint, string>),
  },
  boolean: {
    body: BooleanSchema,
    shown: BooleanSchema,
    query: z
      .enum(['true', 'false'], orElse('must be true or false'))
      .meta({ override: { type: 'boolean', enum: undefined } })
      .transform((text) => text === 'true'),
  },
  time: {
    body: TimeSchema.transform((ms) => new Date(ms).toISOString()),
    shown: z.iso.datetime().meta({ override: { pattern: undefined } }),
  },
  int64List: {
    body: z.array(Int64Schema, orRequired('must be a list of integers')),
    shown: z.array(ShownInt64Schema),
  },
};

/** Converts `idText` to `id`. If that is not possible, replaces `idText` with the reason, which its schema then reports. */
function readIdText(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('idText' in input)) return input;
  const { idText, ...others } = input;
  if (idText === undefined) return others;
  const { data: meant, error } = Int64ParameterSchema.safeParse(idText);
  const { id = meant ?? 0n } = others as { readonly id?: unknown };
  if (meant === undefined) {
    const problem =
      typeof idText === 'string' ? error.issues[0]?.message : 'must be the ID as a string of digits';
    return { ...others, id, idText: String(problem) };
  }
  const written = writeNumber(id);
  if (written === undefined || (isInt64(id) && BigInt(id) === meant)) return { ...others, id };
  const problem =
    `"${meant}" and id ${written} differ: send idText without id, because JavaScript's JSON.parse and other JSON parsers round ` +
    'integers beyond 2^53';
  return { ...others, id: meant, idText: problem };
}

/** Formats a number from `parseExactJson` for a message. Returns `undefined` for any other value. */
function writeNumber(value: unknown): string | undefined {
  if (value instanceof NumberLiteral) return shorten(value.text, 40);
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/**
 * Creates the schema of an object with a record's ID: as `id`, as `idText`, or as both, which must then agree. The output has only `id`.
 *
 * @param shape the other members
 * @param noun what the ID identifies
 */
export const createIdentifiedSchema = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  noun = 'record',
): z.ZodType<{ id: bigint } & z.output<z.ZodObject<Shape>>> =>
  z.preprocess(
    readIdText,
    z.object(
      {
        id: Int64Schema.meta({ description: `Identification number of the ${noun}` }),
        idText: z
          .custom<never>(() => false, { error: ({ input }) => String(input) })
          .meta({
            description:
              'The ID as a string, without a plus sign or leading zeros, for programs that round integers beyond 2^53. ' +
              'Send it instead of `id`; if you send both, they must match',
            override: { type: 'string', pattern: integerPattern.source },
          })
          .optional(),
        ...shape,
      },
      { error: 'must be a JSON object' },
    ),
    // The compiler cannot infer the output of a generic shape.
  ) as never;

/** Returns the schemas of a resource's requests and replies. */
export function schemasOf<Name extends keyof ResourceTypes>(
  resource: Resource<Name>,
): Schemas<ResourceTypes[Name]> {
  const { name, plural } = resource;
  const [One, Many, prefix, a] = [
    capitalize(name),
    capitalize(plural),
    prefixOf(resource),
    withArticle(name),
  ];
  const A = capitalize(a);
  const fields = fieldsOf(resource);
  const members = (side: 'body' | 'shown') =>
    toShape(fields, ([, { kind, description, required }]) => {
      const schema = kinds[kind][side].meta({ description });
      return required ? schema : schema.optional();
    });
  const example = Object.fromEntries(fields.map(([each, { example }]) => [each, toJson(example)]));
  const object = (id: string, shape: z.core.$ZodLooseShape, description: string, more?: object) =>
    z.object(shape, { error: 'must be a JSON object' }).meta({ id, description, ...more });

  const reply = (id: string, shape: z.core.$ZodLooseShape, description: string) =>
    z.object(shape).meta({ id, description });
  /** Creates the list of a batch, whose items are validated separately. */
  const items = (component: string, schema: z.ZodType) =>
    createBatchListSchema(name, plural, {
      description:
        `An item that is not ${withArticle(component)} fails without affecting the other items: the reply has status 200, and the item's result has status 400. ` +
        'A gateway that validates requests against this schema would reject the whole batch',
      items: { $ref: `#/components/schemas/${component}` },
      shape: jsonShapeOf(schema),
    });

  const shown = object(One, members('shown'), `${A} in the store.`, { examples: [example] });
  const body = hasOwnInput(resource)
    ? // An override, because zod omits the examples of a transforming schema from its input.
      object(`${One}Input`, members('body'), `${A}, as sent by a client.`, {
        override: { examples: [example] },
      })
    : shown;
  const required = fields.flatMap(([each, { required }]) => (required ? each : []));
  /** Creates the schema of an object with a record's ID and fields. */
  const identified = (
    id: string,
    what: string,
    more: z.core.$ZodLooseShape = {},
    exampleMembers: object = {},
  ) => {
    const all = ['id', ...required, ...Object.keys(more)].map((each) => `\`${each}\``);
    return createIdentifiedSchema({ ...body.shape, ...more }, name).meta({
      id,
      description: `${what} ${fieldsAre(all)} required; you can send \`idText\` instead of \`id\`.`,
      override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
        Object.assign(jsonSchema, {
          required: jsonSchema.required?.filter((each) => each !== 'id'),
          // Generators ignore `if`, and create one plain type. For `anyOf`, some create `any`, and others a wrapper.
          if: { required: ['idText'] },
          else: { required: ['id'] },
          examples: [{ id: 1, ...example, ...exampleMembers }],
        });
      },
    });
  };
  const create = identified(`New${One}`, `${A} to create, with an ID that the client chooses.`);
  const etag = z.string().meta({
    description: `The ${name}'s \`ETag\`. Send it as \`If-Match\`, or as \`ifMatch\` in a batch`,
  });
  const ifMatch = z.string().meta({
    description: `The ${name}'s \`ETag\` from an earlier reply or result. It must still match. Use \`*\` to match any version of the ${name}`,
  });
  const update = identified(
    `${One}Update`,
    `${A} to update, with its expected \`ETag\`.`,
    { ifMatch },
    { ifMatch: '"Cg3OCfBOkdbbaSJDTzz9Wg"' },
  );
  const id = ShownInt64Schema.meta({ description: `Identification number of the ${name}` });
  const idText = z.string().regex(integerPattern).meta({
    description:
      'The ID as a string, for programs that round integers beyond 2^53. Use it in paths and as a key',
  });
  const unknownTimes = isFirst(resource) ? `: versions 1.2 and earlier did not record this time` : '';
  const addedAt = shownTime(`When the ${name} was stored, if known${unknownTimes}`).optional();
  const who = `an access token's ID, or \`subject\` followed by a JSON Web Token's subject, if known. This field is visible only with the \`admin\` scope`;
  const [addedBy, changedBy, by] = [
    `Who created the ${name}`,
    `Who last updated the ${name}, if it was updated`,
    `Who made the change that produced this state`,
  ].map((what) =>
    z
      .string()
      .meta({ description: `${what}: ${who}` })
      .optional(),
  );
  const stored = object(
    `Stored${One}`,
    { id, idText, ...shown.shape, addedAt, addedBy, changedBy },
    `${A} in the store, with its ID.`,
    { examples: [{ id: 1, idText: '1', ...example, addedAt: '2026-11-25T10:00:00.000Z' }] },
  );
  const orders = ordersOf(resource);
  const searched = searchedFieldsOf(resource)
    .map(([each]) => `\`${each}\``)
    .join(' or ');
  const optional = filtersOf(resource).flatMap(([each, { required }]) => (required ? [] : each));
  const query = createQuerySchema({
    limit: LimitSchema.optional().meta({ description: `The maximum number of ${plural} on a page` }),
    after: PageStartSchema.optional().meta({
      description: 'The `next` value of the previous page for the same query. The default is the first page',
    }),
    order: z
      .enum(orders, orElse(`must be ${orders.slice(0, -1).join(', ')} or ${orders.at(-1)}`))
      .optional()
      .meta({
        description:
          'The sort order: `id`, `newest` (unknown times come last), `oldest` (the reverse)' +
          `${searched === '' ? '' : `, or ${searched} (case-insensitive)`}. A leading \`-\` makes the order descending`,
        override: { default: 'id' },
      }),
    ...toShape(filtersOf(resource), ([, { kind, label }]) =>
      (kinds[kind].query ?? z.never())
        .optional()
        .meta({ description: `${Many} with exactly this ${label.toLowerCase()}` }),
    ),
    ...Object.fromEntries(
      filtersOf(resource).map(([each, { kind }]) => [
        pluralFilterOf(each),
        createSeveralSchema(kinds[kind].query ?? z.never())
          .optional()
          .meta({ description: `${Many} with any of these \`${each}\` values` }),
      ]),
    ),
    ...(optional.length > 0 && {
      without: z
        .enum(optional, orElse(`must be ${optional.join(' or ')}`))
        .optional()
        .meta({
          description: `Include ${plural} without a value for this field, in addition to those with the requested values`,
        }),
    }),
    ...(searchedFieldsOf(resource).length > 0 && {
      q: withoutNul(createQueryTextSchema(QUERY_MAX_LENGTHS.q))
        .optional()
        .meta({
          description: `${Many} with this text in their ${searchedFieldsOf(resource)
            .map(([, { label }]) => label.toLowerCase())
            .join(' or ')}, regardless of case and Unicode normalization`,
        }),
    }),
    addedFrom: QueryTimeSchema.optional().meta({
      description: `${Many} stored at or after this time. ${Many} without a time are excluded`,
    }),
    addedBefore: QueryTimeSchema.optional().meta({
      description: `${Many} stored before this time. ${Many} without a time are excluded`,
    }),
    total: (kinds.boolean.query ?? z.never())
      .optional()
      .meta({ description: `Whether to count all ${plural} that match` }),
    fields: z
      .preprocess((text) => (text === '' ? undefined : text), z.enum(['id'], orElse('must be id')).optional())
      .optional()
      .meta({
        description: `With \`id\`, the page contains \`ids\` instead of ${plural}. An empty value selects all fields`,
        // Tools that send all parameters send an empty value.
        override: { type: 'string', enum: undefined, pattern: '^(id)?$' },
      }),
  });
  const page = reply(
    `${One}Page`,
    {
      [plural]: z.array(stored),
      ids: z
        .array(z.string().regex(integerPattern))
        .optional()
        .meta({
          description: `The IDs of the ${plural}, in place of the ${plural} themselves, if the query includes \`fields=id\`. You can send these IDs in a batch`,
        }),
      next: NextPageSchema,
      total: z
        .number()
        .optional()
        .meta({
          description: `How many ${plural} match, if the query includes \`total=true\``,
          override: { type: 'integer', format: 'int64' },
        }),
      totalIsEstimate: z.boolean().optional().meta({ description: 'Whether `total` is an estimate' }),
      partial: z.boolean().optional().meta({
        description: 'Whether the page ends early because the search took too long',
      }),
    },
    `A page of ${plural} in the store.`,
  );
  const batch = object(
    `New${Many}`,
    { [plural]: items(`New${One}`, create) },
    `${Many} to create, each with an ID that the client chooses.`,
  );
  const updates = object(
    `${One}Updates`,
    { [plural]: items(`${One}Update`, update) },
    `${Many} to update, each with a condition.`,
  );
  const idList = createBatchListSchema('id', 'ids', {
    description:
      `Each ID as a string, without a plus sign or leading zeros, as in the \`idText\` of ${a}. Any other item, such as a ` +
      'number, fails without affecting the other items: the reply has status 200, and the failed item gets status 400',
    items: { type: 'string', pattern: integerPattern.source, examples: ['9007199254740993'] },
    shape: {},
  });
  const ids = object(`${One}Ids`, { ids: idList }, `The IDs of ${plural}.`);
  const deletions = z
    .object(
      {
        ids: idList,
        ifMatch: createBatchListSchema('ETag', 'ETags', {
          description:
            `The \`ETag\` that each ${name} must still have, in the same order as \`ids\`. Use \`*\` to match any ${name}. Without this ` +
            'list, no conditions apply',
          items: { type: 'string' },
          shape: {},
        }).optional(),
      },
      { error: 'must be a JSON object' },
    )
    .refine(({ ids, ifMatch }) => ifMatch === undefined || ifMatch.length === ids.length, {
      path: ['ifMatch'],
      error: ({ input }) => {
        const { ids, ifMatch } = input as Readonly<Record<'ids' | 'ifMatch', readonly unknown[]>>;
        return `must have as many ETags as there are IDs: ${ids.length}, not ${ifMatch.length}`;
      },
    })
    .meta({
      id: `${One}Deletions`,
      description: `The IDs of ${plural} to delete, each with an optional condition.`,
    });
  /** Creates the schema of batch results. Each is a success, or an error with one of the statuses. */
  const results = (operation: string, success: z.core.$ZodLooseShape, statuses: readonly number[]) => {
    const failure = z.object({ status: statusOf(statuses), error: ErrorNumberSchema, message: z.string() });
    const result = z.union([z.object(success), failure]).meta({
      id: `${prefix}${operation}Result`,
      description: `The outcome for one ${name}, the same as for a separate request.`,
    });
    return reply(
      `${prefix}${operation}Results`,
      { results: z.array(result) },
      `The outcome for each ${name} in the batch, in the order sent.`,
    );
  };
  const replayed = z.boolean().meta({ description: `Whether an earlier request stored the same ${name}` });
  const changed = z
    .object({
      kind: z.enum(['created', 'updated', 'deleted']),
      id,
      idText,
      [name]: stored.optional().meta({ description: `The ${name} after the change, unless it was deleted` }),
      at: shownTime('When the change happened, if known').optional(),
    })
    .refine(({ kind, [name]: record }) => kind === 'deleted' || record !== undefined, {
      path: [name],
      error: 'is required',
    })
    .meta({ id: `${prefix}Change`, description: `The latest change to ${a}.` });
  const changePage = reply(
    `${prefix}ChangePage`,
    {
      changes: z.array(changed),
      next: z.string().meta({
        description:
          'The cursor for the next page. Pass it as `after`. If the page is empty and `next` equals your `after`, there are no new changes yet',
      }),
    },
    'A page of changes, in order.',
  );
  const state = reply(
    `${One}State`,
    {
      ...shown.shape,
      from: shownTime(`When this state began, if known`).optional(),
      until: shownTime('When this state ended. The current state has no `until` field').optional(),
      by,
    },
    `A current or earlier state of ${a}.`,
  );
  const history = reply(
    `${One}History`,
    { states: z.array(state).meta({ description: 'The states, newest first' }), next: NextPageSchema },
    `A page of the current and earlier states of ${a}.`,
  );

  const schemas: Readonly<Record<keyof Schemas<RecordTypes>, z.ZodType>> = {
    fields: body,
    shown,
    create,
    stored,
    query,
    page,
    batch,
    ids,
    update,
    updates,
    deletions,
    createResults: results('Create', { status: statusOf([200]), replayed, etag }, [400, 500, 503]),
    getResults: results('Get', { status: statusOf([200]), [name]: stored, etag }, [400, 404, 500, 503]),
    updateResults: results(
      'Update',
      { status: statusOf([200]), [name]: stored, etag },
      [400, 404, 412, 500, 503],
    ),
    deleteResults: results('Delete', { status: statusOf([204]) }, [400, 404, 412, 500, 503]),
    changePage,
    history,
    id: Int64ParameterSchema.meta({
      description:
        `The ${name}'s ID, in full, with no plus sign or leading zeros. Use the ${name}'s \`idText\`, ` +
        'because many programs round an `id` greater than 2^53',
    }),
    ifMatch: entityTags(
      `The ${name}'s \`ETag\` from an earlier reply. It must still match. Use \`*\` to match any version of the ${name}`,
    ),
    ifNoneMatch: excludedTags(`An \`ETag\` that the ${name} must not have; \`*\` matches any ${name}`),
    ifNoneMatchOrReuse: excludedTags(
      `Send \`*\` to reuse the ID of a deleted ${name}, or an \`ETag\` that the ${name} must not have. Every request needs this header, \`If-Match\`, or both`,
    ),
  };
  // The types cannot be inferred from data. types.ts is generated from the same definition.
  return schemas as unknown as Schemas<ResourceTypes[Name]>;
}

const fieldsAre = (names: readonly string[]) =>
  names.length === 1
    ? `The field ${names[0]} is`
    : `The fields ${names.slice(0, -1).join(', ')}${names.length > 2 ? ',' : ''} and ${names.at(-1)} are`;

type NamedField = readonly [name: string, field: Field];

const toShape = (fields: readonly NamedField[], toSchema: (field: NamedField) => z.ZodType) =>
  Object.fromEntries(fields.map((field) => [field[0], toSchema(field)]));

/** Converts a field's example to JSON. Most tools read the document's numbers as floating point. */
function toJson(example: Field['example']): unknown {
  if (typeof example === 'object') return example.map(Number);
  return typeof example === 'bigint' ? Number(example) : example;
}

/** Creates the schema of `If-Match` (RFC 9110, section 13.1.1). The output is the header's text. */
const entityTags = (description: string, isValid = isEntityTags) =>
  z
    .string()
    .refine(isValid, { error: 'must be an ETag from a reply, including its double quotes, or *' })
    .optional()
    .meta({ description });

/** Creates the schema of `If-None-Match` (RFC 9110, section 13.1.2). Many tools send an empty header, which excludes nothing. */
const excludedTags = (description: string) =>
  entityTags(description, (text) => text === '' || isEntityTags(text));

/**
 * Creates the schema of a batch's list. It does not validate the items, because an invalid one must not reject the others. It does not
 * limit their number, because a batch with too many items gets a different error.
 */
const createBatchListSchema = (
  one: string,
  many: string,
  { items, shape, ...meta }: { items: object; shape: JsonShape; description: string },
) =>
  z
    .custom<readonly unknown[]>((value) => Array.isArray(value) && value.length > 0, {
      error: ({ input }) => {
        if (input === undefined) return 'is required';
        return Array.isArray(input) ? `must have at least one ${one}` : `must be a list of ${many}`;
      },
    })
    .meta({ ...meta, override: { type: 'array', items, minItems: 1, maxItems: MAX_RECORDS } })
    .register(shapes, { items: shape, maxItems: MAX_RECORDS });

const statusOf = (statuses: readonly number[]) => z.literal(statuses).meta({ override: { type: 'integer' } });
