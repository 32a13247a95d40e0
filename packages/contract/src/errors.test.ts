import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contract } from './contract.js';
import { errorTexts, errorTextsOf } from './error-texts.js';
import { type ErrorDefinition, type ErrorName, errors } from './errors.js';
import type { Operation } from './metadata.js';
import { errorsOf } from './replies.js';
import { errorNamesOf, isFirst, type Resource } from './resource.js';
import { resources } from './resources.js';
import { ErrorSchema } from './schemas.js';

const definitions = Object.entries<ErrorDefinition>(errors).map(
  ([name, definition]) => [name, { ...definition, ...errorTexts[name as ErrorName] }] as const,
);

/** The numbers that each version published. A published number never changes its meaning. */
const published = {
  '1.0': {
    bad_request: 40000,
    malformed_json: 40001,
    invalid_plant: 40002,
    id_taken: 40003,
    unsupported_content_type: 40004,
    body_too_large: 40005,
    missing_token: 40100,
    invalid_token: 40101,
    not_found: 40400,
    method_not_allowed: 40500,
    rate_limited: 42900,
    internal_error: 50000,
    overloaded: 50300,
    database_unavailable: 50301,
    shutting_down: 50302,
  },
  '1.1': { insufficient_scope: 40300, database_damaged: 50303, identity_provider_unavailable: 50304 },
  '1.3': { batch_too_large: 40006, id_retired: 40007, plant_not_found: 40401 },
  '1.4': {
    precondition_required: 40008,
    invalid_token_request: 40009,
    token_inactive: 40010,
    exceeds_issuer: 40301,
    token_not_found: 40402,
    precondition_failed: 41200,
    changes_unsupported: 50100,
  },
  '1.5': { cursor_expired: 40011 },
};

/** The errors of later resources say the same about other nouns. */
const ofLaterResources: readonly string[] = Object.values<Resource>(resources).flatMap((resource) =>
  isFirst(resource) ? [] : Object.values(errorNamesOf(resource)),
);
const documented = definitions.filter(([name]) => !ofLaterResources.includes(name));

it('keeps every published number', () => {
  expect(Object.fromEntries(documented.map(([name, { error }]) => [name, error]))).toEqual(
    Object.assign({}, ...Object.values(published)),
  );
});

it('lists the errors that each version added on the page on upgrading', () => {
  const page = readFileSync(new URL('../../../docs/operate/upgrading.md', import.meta.url), 'utf8');
  const { '1.0': _, ...later } = published;
  const lines = Object.entries(later).map(
    ([version, numbers]) =>
      `- ${version}: ${Object.entries(numbers)
        .map(([name, number]) => `\`${name}\` (${number})`)
        .join(', ')}`,
  );
  expect(page.match(/^- \d\.\d: `.+$/gm)).toEqual(lines);
});

it.each(definitions)('%s: status, meaning and example fit', (_, { error, status, meaning, example }) => {
  expect(Math.trunc(error / 100)).toBe(status);
  expect(ErrorSchema.parse({ error, message: example })).toEqual({ error, message: example });
  for (const sentence of [meaning, example]) expect(sentence).toMatch(/^[A-Z].+\.$/);
});

const operationErrors = Object.entries<Operation>(contract).map(
  ([name, operation]) => [name, errorsOf(operation)] as const,
);

it.each(operationErrors)('%s has an error for each status of a failure', (_, names) => {
  for (const [status, ofStatus] of Object.entries(names))
    expect([status, ofStatus]).not.toEqual([status, []]);
});

it('has no unused error, except for a request that matches no operation', () => {
  const returned = new Set<string>(operationErrors.flatMap(([, names]) => Object.values(names).flat()));
  const others = definitions.filter(([name]) => !returned.has(name)).map(([name]) => name);
  expect(others).toEqual(['not_found', 'method_not_allowed']);
});

it('is completely documented on the page of the API, row by row', () => {
  const page = readFileSync(new URL('../../../docs/use/api.md', import.meta.url), 'utf8');
  const rows = documented.map(([name, { error, meaning }]) => `| ${error} | ${name} | ${meaning} |`);
  expect(page.split('\n').filter((line) => /^\| \d{5} \|/.test(line))).toEqual(rows);
});

it('the errors of a resource name it', () => {
  expect(errorTextsOf({ name: 'orchard', plural: 'orchards', fields: {} })).toEqual({
    invalid_orchard: {
      meaning:
        'The body is neither a NewOrchard nor a batch of orchards. The message lists every invalid field.',
      example: 'The orchard is not valid: id is required.',
    },
    orchard_not_found: { meaning: 'There is no orchard with this ID.', example: 'There is no orchard 7.' },
  });
  expect(errorTexts.invalid_plant.example).toBe(
    'The plant is not valid: id is required; name must be a string.',
  );
});
