import openapi from '@plant-store/contract/openapi.json' with { type: 'json' };
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import type { Reply } from '../exchange/read-replies.js';
import type { Operation } from '../oracle/expect-outcome.js';

/** Headers that every reply has, or that HTTP itself defines (docs/use/api.md, Headers of replies). */
const generalHeaders = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'content-security-policy',
  'cross-origin-resource-policy',
  'cache-control',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
]);

/** Replies to what is no operation, which docs/use/api.md has and the OpenAPI document cannot have. */
const otherReplies: Readonly<Record<number, readonly string[]>> = { 404: [], 405: ['allow'] };
const errorContent: Content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** The replies of each operation. */
const repliesOf = new Map<string, Responses>(
  Object.values(openapi.paths)
    .flatMap((path) => Object.values(path))
    .map(({ operationId, responses }) => [operationId, responses]),
);

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(openapi, 'openapi.json');

const validators = new Map<string, ValidateFunction>();

/** Compiles what a JSON pointer of the OpenAPI document names, once. */
function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` });
  validators.set(pointer, known);
  return known;
}

/**
 * Compares a reply of JSON with the OpenAPI document, and where that has nothing with docs/use/api.md.
 *
 * @param bodiless for the reply to HEAD
 * @param operation by default the one of a create
 * @returns everything that is not documented
 */
export function findUndocumented(
  { status, headers, body }: Reply,
  bodiless: boolean,
  operation: Operation = 'createPlant',
): string[] {
  if (status >= 500) return [`status ${status}: ${body.toString()}`];
  const documented = repliesOf.get(operation)?.[status];
  const others = otherReplies[status];
  if (documented === undefined && others === undefined) return [`status ${status} is not documented`];
  const named = new Map(
    Object.entries(documented?.headers ?? {}).map(([name, { $ref }]) => [name.toLowerCase(), $ref.slice(1)]),
  );
  const { content } = documented ?? { content: errorContent };
  return [
    ...[...headers].flatMap(([name, value]) => checkHeader(name, value, named.get(name), others)),
    ...(others ?? []).filter((name) => !headers.has(name)).map((name) => `there is no ${name}`),
    ...(headers.has('x-request-id') ? [] : ['there is no x-request-id']),
    ...(bodiless ? [] : checkBody(headers, body, content?.['application/json'].schema.$ref.slice(1))),
  ];
}

function checkHeader(
  name: string,
  value: string,
  pointer: string | undefined,
  others: readonly string[] = [],
): string[] {
  if (pointer === undefined) {
    const known = generalHeaders.has(name) || name === 'x-request-id' || others.includes(name);
    return known ? [] : [`the header ${name} is not documented`];
  }
  const validate = validatorOf(`${pointer}/schema`);
  const number = /^-?\d+$/.test(value) ? Number(value) : value;
  return validate(value) || validate(number)
    ? []
    : [`the header ${name}: ${ajv.errorsText(validate.errors)}`];
}

/** @param schema `undefined` if there is no body */
function checkBody(headers: Reply['headers'], body: Buffer, schema: string | undefined): string[] {
  const type = headers.get('content-type');
  if (schema === undefined) return type === undefined ? [] : [`the Content-Type of no body is ${type}`];
  if (!/^application\/json; charset=utf-8$/i.test(type ?? '')) return [`the Content-Type is ${type}`];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return [`the body is not JSON: ${JSON.stringify(body.toString('latin1'))}`];
  }
  const validate = validatorOf(schema);
  return validate(value) ? [] : [`the body: ${ajv.errorsText(validate.errors)}`];
}

type Responses = Readonly<
  Record<
    string,
    { readonly headers: Readonly<Record<string, { readonly $ref: string }>>; readonly content?: Content }
  >
>;
type Content = { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
