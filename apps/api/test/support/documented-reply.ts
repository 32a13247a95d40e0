import openapi from '@plant-store/contract/openapi.json' with { type: 'json' };
import type { routes } from '@plant-store/contract/routes';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import type { Reply } from './expect-error.js';

/** Headers that every reply or page may have, or that HTTP itself defines (docs/use/api.md, Headers of replies). */
const generalHeaders = [
  'content-type content-length date connection keep-alive content-security-policy cache-control',
  'referrer-policy cross-origin-resource-policy x-content-type-options x-frame-options x-request-id link',
].flatMap((names) => names.split(' '));

type Responses = Readonly<Record<string, { readonly headers: object; readonly content?: Content }>>;
type Content = { readonly 'application/json': { readonly schema: { readonly $ref: string } } };

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(openapi, 'openapi.json');
const validators = new Map<string, ValidateFunction>();

/**
 * Compares a reply of JSON with the OpenAPI document.
 *
 * @param operation by default that of a create, whose errors what is no operation has, too
 * @returns everything that is not documented
 */
export function findUndocumented(
  { status, headers, body }: Reply,
  operation: keyof typeof routes = 'createPlant',
): readonly string[] {
  const responses = Object.values(openapi.paths)
    .flatMap((path): { operationId: string; responses: Responses }[] => Object.values(path))
    .find(({ operationId }) => operationId === operation)?.responses;
  // Replies to what is no operation, which docs/use/api.md has and the OpenAPI document cannot have.
  const others = { 404: [], 405: ['allow'] }[status];
  const documented = responses?.[status] ?? (others && responses?.['400']);
  if (status >= 500 || documented === undefined) return [`status ${status}: ${JSON.stringify(body)}`];
  const known = [...Object.keys(documented.headers).map((name) => name.toLowerCase()), ...(others ?? [])];
  const unknown = Object.keys(headers).filter(
    (name) => !generalHeaders.includes(name) && !known.includes(name),
  );
  const pointer = documented.content?.['application/json'].schema.$ref.slice(1);
  return [
    ...unknown.map((name) => `the header ${name} is not documented`),
    ...('x-request-id' in headers ? [] : ['there is no x-request-id']),
    ...(pointer === undefined ? [] : checkBody(headers['content-type'], body, pointer)),
  ];
}

function checkBody(type: string | undefined, body: unknown, pointer: string): string[] {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` });
  validators.set(pointer, validate);
  return [
    ...(type === 'application/json; charset=utf-8' ? [] : [`the Content-Type is ${type}`]),
    ...(validate(body) ? [] : [`the body: ${ajv.errorsText(validate.errors)}`]),
  ];
}
