import { ContractNoBody } from '@ts-rest/core';
import { type ErrorName, errors } from './errors.js';
import { type Operation, type RecordOperation, subjectOfOperation } from './metadata.js';
import { errorNamesOf, type Resource, withArticle } from './resource.js';
import { resources } from './resources.js';

type Descriptions = Readonly<Record<number, string>>;

const commonDescriptions: Descriptions = {
  401: 'The access token is missing or not valid',
  403: 'The access token does not permit this operation',
  429: 'Too many requests',
  500: 'Something went wrong on the server',
};

/** Returns the descriptions of an operation's replies, by status. */
export function descriptionsOf(operation: Operation): Descriptions {
  const { metadata } = operation;
  const own =
    metadata.resource === undefined
      ? { ...describeTokens(operation, metadata.errors), ...metadata.replies }
      : describeRecords(resources[metadata.resource], metadata.field)[metadata.operation];
  return { ...commonDescriptions, ...own };
}

function describeRecords(
  { name, plural }: Resource,
  field = '',
): Readonly<Record<RecordOperation, Descriptions>> {
  const cannot = (action: string, what = plural) => `The service cannot ${action} ${what} at the moment`;
  const request = 'The request is not valid';
  const batch = 'The batch itself is not valid';
  const id = 'The ID is not an integer, or it has a plus sign or leading zeros';
  const parameter = 'A parameter is not valid';
  const notFound = `There is no ${name} with this ID`;
  const changed = `The ${name}'s \`ETag\` does not match \`If-Match\``;
  const conditions = `${changed}, or it matches \`If-None-Match\``;
  return {
    create: {
      200: `The ${name} is stored durably`,
      400: `${request}; nothing was stored`,
      503: cannot('store'),
    },
    get: {
      200: `The ${name}`,
      304: `The ${name}'s \`ETag\` matches \`If-None-Match\``,
      400: `${id}, or \`If-Match\` is not valid`,
      404: notFound,
      412: changed,
      503: cannot('read'),
    },
    list: { 200: `A page of ${plural}`, 400: parameter, 503: cannot('read') },
    createMany: {
      200: `The result for each ${name}`,
      400: `${batch}; nothing was stored`,
      503: `${cannot('store')}; nothing was stored`,
    },
    getMany: { 200: 'The result for each ID', 400: batch, 503: cannot('read') },
    updateMany: {
      200: `The result for each ${name}`,
      400: `${batch}; nothing was changed`,
      503: `${cannot('update')}; nothing was changed`,
    },
    deleteMany: {
      200: 'The result for each ID',
      400: `${batch}; nothing was deleted`,
      503: `${cannot('delete')}; nothing was deleted`,
    },
    update: {
      200: `The ${name} after the update, stored durably`,
      400: `${request}; nothing was changed`,
      404: `${notFound}, or, with \`If-None-Match: *\`, there never was one`,
      412: `${conditions}; nothing was changed`,
      503: cannot('update'),
    },
    delete: {
      204: 'The deletion is durable',
      400: `${id}, or a condition is not valid`,
      404: `There was never ${withArticle(name)} with this ID`,
      412: `${conditions}; nothing was deleted`,
      503: cannot('delete'),
    },
    count: { 200: `A page of ${field}s`, 400: parameter, 503: cannot('read') },
    history: {
      200: `A page of the ${name}'s states`,
      400: `${id}, or a parameter is not valid`,
      404: notFound,
      503: cannot('read'),
    },
    changes: {
      200: 'A page of changes',
      400: `${parameter}, or \`after\` expired when the plant store was restored. If it expired, read everything again with \`after=0\``,
      501: 'The plant store is distributed, so it cannot list changes in order',
      503: cannot('read', 'changes'),
    },
  };
}

function describeTokens(operation: Operation, ownErrors: readonly ErrorName[] = []): Descriptions {
  return {
    400: hasBody(operation) ? 'The request is not valid' : 'The operation accepts no parameters',
    ...(ownErrors.includes('exceeds_issuer') && {
      403: `${commonDescriptions[403]}, or the new token would exceed the limits of your token`,
    }),
    404: 'There is no token with this ID',
    503: `The service cannot ${operation.method === 'GET' ? 'read' : 'store'} tokens at the moment`,
  };
}

const commonErrors = [
  'bad_request',
  'missing_token',
  'invalid_token',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'overloaded',
  'database_unavailable',
  'shutting_down',
  'database_damaged',
  'identity_provider_unavailable',
] as const satisfies readonly ErrorName[];

const bodyErrors = ['malformed_json', 'unsupported_content_type', 'body_too_large'] as const;

/** The errors of record operations that cannot be derived from their bodies. */
const recordErrors: Partial<Record<RecordOperation, readonly ErrorName[]>> = {
  create: ['id_taken', 'id_retired'],
  createMany: ['batch_too_large'],
  getMany: ['batch_too_large'],
  updateMany: ['batch_too_large'],
  deleteMany: ['batch_too_large'],
  update: ['precondition_required'],
  changes: ['cursor_expired'],
};

/** The errors that an operation can return, by status, in the order of their numbers. */
export function errorsOf(operation: Operation): Readonly<Record<number, readonly ErrorName[]>> {
  const { metadata, responses } = operation;
  // These are candidates: the filter below drops errors whose status the operation does not declare.
  const names: ErrorName[] = [
    ...commonErrors,
    ...(hasBody(operation) ? [...bodyErrors, subjectOfOperation(metadata).errorName] : []),
    ...(metadata.resource === undefined
      ? (['token_not_found', ...(metadata.errors ?? [])] as const)
      : [
          errorNamesOf({ name: metadata.resource }).notFound,
          'precondition_failed' as const,
          'changes_unsupported' as const,
          ...(recordErrors[metadata.operation] ?? []),
        ]),
  ];
  const sorted = names.sort((one, other) => errors[one].error - errors[other].error);
  const statuses = Object.keys(responses).map(Number);
  return Object.fromEntries(
    statuses
      .filter((status) => status >= 400)
      .map((status) => [status, sorted.filter((name) => errors[name].status === status)]),
  );
}

/** Returns whether requests have a body. A POST without a body declares `ContractNoBody`; a GET has no `body`. */
export function hasBody(operation: Operation): operation is Operation & { body: unknown } {
  return 'body' in operation && operation.body !== ContractNoBody;
}
