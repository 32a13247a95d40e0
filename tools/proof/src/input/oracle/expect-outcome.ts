import { errors } from '@plant-store/contract/errors';
import type { Operations, PlantQuery } from '@plant-store/contract/operations';
import { routes } from '@plant-store/contract/routes';
import { type BatchOutcome, type PlantOutcome, readBatch, readPlant } from './read-plant.js';
import type { FramedRequest } from './read-requests.js';

/** The operations, as the OpenAPI document names them. */
export type Operation = keyof typeof routes;

/** What a request must lead to: one of the errors, a success of the operation, or, with `document`, a page of the service. */
export interface Outcome extends PlantOutcome, BatchOutcome {
  /** Whether it must be rejected. */
  readonly certain: boolean;
  readonly document?: boolean;
  /** `undefined` if the request is of none. */
  readonly operation?: Operation | undefined;
  /** The id in its path. */
  readonly id?: bigint | undefined;
}

/** What the service was started with. */
export interface ServiceSettings {
  readonly token: string;
  readonly bodyMaxBytes: number;
}

/** The errors that a part of a request may lead to; `certain` if there is no way past them. */
interface Finding {
  readonly errors: readonly number[];
  readonly certain: boolean;
  readonly document?: boolean;
}

const none: Finding = { errors: [], certain: false };
const must = (...names: readonly (keyof typeof errors)[]): Finding => ({ ...may(...names), certain: true });
const may = (...names: readonly (keyof typeof errors)[]): Finding => ({
  errors: names.map((name) => errors[name].error),
  certain: false,
});

type Head = Omit<FramedRequest, 'body'>;

/** The operations that read a body. */
type OperationWithBody = {
  [Name in Operation]: Operations[Name] extends { readonly body: unknown } ? Name : never;
}[Operation];

const readers: Record<OperationWithBody, (body: Uint8Array) => PlantOutcome & BatchOutcome> = {
  createPlant: readPlant,
  createPlants: readBatch,
};

export function hasBody(operation: Operation | undefined): operation is OperationWithBody {
  return operation !== undefined && operation in readers;
}

/** Decides by docs/use/api.md what the service must make of a request; of several errors it reports the first. */
export function expectOutcome(request: FramedRequest, settings: ServiceSettings): Outcome {
  const head = expectOfHead(request, settings);
  if (head.certain || head.document || !hasBody(head.operation)) return head;
  if (request.body.length > settings.bodyMaxBytes)
    return { ...head, errors: [...head.errors, errors.body_too_large.error], certain: true };
  const body = readers[head.operation](request.body);
  const certain = body.plant === undefined && body.plants === undefined;
  return { ...head, ...body, errors: [...head.errors, ...body.errors], certain };
}

/** What the head alone may lead to, such as when the rest of the request never comes. */
export function expectOfHead(head: Head, { token }: ServiceSettings): Outcome {
  const found: number[] = [];
  const operation = operationOf(head);
  const id = readId(head.target);
  const checks = [
    () => (/^1\.[01]$/.test(head.version) ? none : must('bad_request')),
    () => checkHost(head),
    () => checkTransferCoding(head),
    () => (head.method === 'CONNECT' ? must('bad_request') : none),
    () => checkTarget(head.target),
    () => (operation === undefined ? must('method_not_allowed') : none),
    () => checkToken(head, token),
    () => checkParameters(operation, id, head.target),
    () => (hasBody(operation) ? checkContentType(head) : none),
    () => (hasBody(operation) ? checkContentCoding(head) : none),
  ];
  for (const check of checks) {
    const { errors: numbers, certain, document = false } = check();
    found.push(...numbers);
    if (document) return { errors: [...found, ...documentErrors], certain, document };
    if (certain) return { errors: found, certain, operation };
  }
  return { errors: found, certain: false, operation, id };
}

const operations = Object.entries(routes).map(([name, { method, path }]) => ({
  name: name as Operation,
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
}));

function operationOf({ method, target }: Head): Operation | undefined {
  const servedBy = method === 'HEAD' ? 'GET' : method;
  const path = pathOf(target);
  return operations.find(({ method: own, pattern }) => own === servedBy && pattern.test(path))?.name;
}

/** What the parameters lead to besides a success. */
function checkParameters(operation: Operation | undefined, id: bigint | undefined, target: string): Finding {
  const query = /\?([^#]*)/.exec(target)?.[1] ?? '';
  if (operation === 'listPlants') return checkQuery(query);
  const isUndefined = /[^&]/.test(query);
  // Of a request with a body, only once that is read.
  if (hasBody(operation)) return isUndefined ? may('bad_request') : none;
  return id === undefined || isUndefined ? must('bad_request') : may('plant_not_found');
}

const isTextOf = (maxLength: number) => (value: string) =>
  [...value].length <= maxLength && !value.includes('\0');

/** What each parameter of a list may be. */
const rules: Readonly<Record<keyof PlantQuery, (value: string) => boolean>> = {
  limit: (value) => /^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1_000,
  order: (value) => value === 'id' || value === 'newest',
  after: (value) => [...value].length <= 100,
  q: isTextOf(100),
  tag: isTextOf(1_000),
};
const parameterRules = new Map(Object.entries(rules));

function checkQuery(query: string): Finding {
  const seen = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name, value] = [pair.split('=', 1)[0] ?? '', pair.split('=').slice(1).join('=')].map(decodeQuery);
    const isValid = parameterRules.get(name ?? '');
    if (name === undefined || seen.has(name) || value === undefined || !isValid?.(value))
      return must('bad_request');
    seen.add(name);
  }
  // Which texts are the `next` of a page is not part of this proof.
  return seen.has('after') ? may('bad_request') : none;
}

/** Decodes a part of a query; `undefined` if it is not percent-encoded UTF-8. */
function decodeQuery(text: string): string | undefined {
  if (/%(?![\da-f]{2})/i.test(text)) return undefined;
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The id in the path of a target, in its shortest notation as it is sent. */
function readId(target: string): bigint | undefined {
  const id = pathOf(target).slice('/plants/'.length);
  const isInt64 = /^(0|-?[1-9]\d{0,18})$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id);
  return isInt64 ? BigInt(id) : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const documentErrors = [errors.not_found.error, errors.method_not_allowed.error];

function valuesOf(head: Head, name: string): string[] {
  return head.headers.filter((header) => header[0] === name).map(([, value]) => value);
}

function checkHost(head: Head): Finding {
  const hosts = valuesOf(head, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && head.version === '1.1')) return must('bad_request');
  return hosts.length === 1 && /^[\w.-]+(:\d+)?$/.test(hosts[0] ?? '') ? none : may('bad_request');
}

function checkTransferCoding(head: Head): Finding {
  return valuesOf(head, 'transfer-encoding').every((coding) => /^chunked$/i.test(coding))
    ? none
    : must('bad_request');
}

/** The path of a target that begins with one, or is an absolute URL. */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[\w.-]+(?::\d{1,4})?(?=[/?]|$)/i, '').replace(/[?#].*$/, '');
}

function checkTarget(target: string): Finding {
  if (target === '*') return must('not_found');
  const absolute = /^https?:\/\/([\w.-]+(?::\d{1,4})?)(?=[/?]|$)/i.exec(target);
  const form = absolute === null ? target : target.slice(absolute[0].length);
  const isPath = form.startsWith('/') || absolute !== null;
  if (!isPath)
    return /^https?:/i.test(target)
      ? { ...may('bad_request', 'not_found'), document: true }
      : must('bad_request');
  const path = pathOf(target);
  // Of a target with a fragment, which HTTP does not have, the path counts.
  if (operations.some(({ pattern }) => pattern.test(path)))
    return decode(path) === undefined ? must('bad_request') : none;
  // The pages and their files; which these are is not part of this proof.
  if (/^(|\/|\/docs\/?.*|\/openapi\.json|\/assets\/.*|\/[\w.-]*\.\w+)$/.test(path))
    return { ...none, document: true };
  return must('not_found');
}

function checkToken(head: Head, token: string): Finding {
  const [value, ...others] = valuesOf(head, 'authorization');
  if (value === undefined) return must('missing_token');
  const isExact = /^bearer /i.test(value) && value.slice('bearer '.length) === token;
  if (isExact && others.length === 0) return none;
  const wrong = ['missing_token', 'invalid_token'] as const;
  return [value, ...others].some((text) => text.includes(token)) ? may(...wrong) : must(...wrong);
}

const parameters = /^(?:[ \t]*;[ \t]*(?:[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[^"\\]*"))?)*$/;

function checkContentType(head: Head): Finding {
  const [value, ...others] = valuesOf(head, 'content-type');
  if (others.length > 0) return may('unsupported_content_type');
  const type = /^application\/json(?=[ \t]*(?:;|$))/i.exec(value ?? '');
  if (type === null) return must('unsupported_content_type');
  const rest = value?.slice(type[0].length) ?? '';
  const charsets = [...rest.matchAll(/charset="?([^";]*)/gi)].map(([, charset = '']) => charset.trim());
  if (!parameters.test(rest) || charsets.length > 1) return may('unsupported_content_type');
  return charsets.every((charset) => /^utf-8$/i.test(charset)) ? none : must('unsupported_content_type');
}

function checkContentCoding(head: Head): Finding {
  const values = valuesOf(head, 'content-encoding');
  if (values.length === 0 || (values.length === 1 && /^identity$/i.test(values[0] ?? ''))) return none;
  if (values.every((value) => /^[\s,]*(identity[\s,]*)*$/i.test(value)))
    return may('unsupported_content_type');
  return must('unsupported_content_type');
}
