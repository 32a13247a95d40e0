import * as z from 'zod';
import { errors } from '../src/errors.js';
import type { Operation, RecordMetadata } from '../src/metadata.js';
import { errorsOf, hasBody } from '../src/replies.js';
import { capitalize } from '../src/resource.js';

/** The type names for an operation's request and successful reply. */
interface TypeNames {
  readonly params?: string | undefined;
  readonly headers?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: string | undefined;
  readonly success: string;
}

/**
 * Prints a module with types for what each operation takes and returns.
 *
 * @param modules the sources that declare the types, by import path
 */
export function operationsOf(
  contract: Readonly<Record<string, Operation>>,
  modules: Readonly<Record<string, string>>,
): string {
  const operations = Object.entries(contract);
  const failures = operations.map(([, operation]) => failuresOf(operation));
  const isCommon = (failure: string) => failures.every((each) => each.includes(failure));
  const printed = [
    '/** The failures that are the same for every operation. */',
    `interface CommonFailures {\n${indent(failures[0]?.filter(isCommon) ?? [])}\n}\n`,
    '/**',
    ' * What each operation takes and returns, as plain types, so that users of the client need neither zod nor ts-rest.',
    ' * A type test compares them with what ts-rest infers from the contract.',
    ' */',
    `export interface Operations {\n${operations
      .map(([name, operation]) => printOperation(name, operation, isCommon))
      .join('\n')}\n}\n`,
    '/** The operations that change nothing. */',
    `export type ReadOperation =\n${operations
      .filter(([, { method, metadata }]) => method === 'GET' || metadata.scope === 'read')
      .map(([name]) => `  | '${name}'`)
      .join('\n')};\n`,
  ].join('\n');
  const imports = Object.entries(modules).map(([path, source]) => {
    const declared = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name);
    const used = declared.filter((name) => new RegExp(`: ${name};`).test(printed)).sort();
    return `import type {\n${used.map((name) => `  ${name},`).join('\n')}\n} from '${path}';`;
  });
  const exports = Object.keys(modules).map((path) => `export type * from '${path}';`);
  return [
    '// Printed from the contract: pnpm --filter @plant-store/contract run print-types',
    "import type { ErrorBody } from './errors.js';",
    ...imports,
    `\nexport type { FailedResult } from './errors.js';`,
    ...exports,
    `\n${printed}`,
  ].join('\n');
}

function printOperation(name: string, operation: Operation, isCommon: (failure: string) => boolean): string {
  const { params, headers, query, body, success } = typeNamesOf(operation);
  const replies = [
    `${statusOfSuccess(operation)}: ${success};`,
    ...failuresOf(operation).filter((failure) => !isCommon(failure)),
  ];
  const members = [
    ...(params ? [`params: ${params};`] : []),
    ...(headers ? [`headers: ${headers};`] : []),
    ...(query ? [`query?: ${query};`] : []),
    ...(body ? [`body: ${body};`] : []),
    'responses: CommonFailures & {',
    indent(replies),
    '};',
  ];
  const comment = isGet(operation)
    ? '  /** Without 304 and 412, which only a conditional request can get. */\n'
    : '';
  return `${comment}${indent([`${name}: {`, indent(members), '};'])}`;
}

/** Prints the failures of an operation as members of a type. For a get, omits 412, which only a conditional request can get. */
function failuresOf(operation: Operation): readonly string[] {
  return Object.entries(errorsOf(operation))
    .filter(([status]) => !(isGet(operation) && status === '412'))
    .map(
      ([status, names]) => `${status}: ErrorBody<${names.map((name) => errors[name].error).join(' | ')}>;`,
    );
}

const statusOfSuccess = ({ responses }: Operation) => Math.min(...Object.keys(responses).map(Number));

const isGet = ({ metadata }: Operation) => metadata.operation === 'get';

function typeNamesOf(operation: Operation): TypeNames {
  const { metadata, path, responses } = operation;
  return {
    ...(path.includes('/:id') && { params: 'IdParams' }),
    query: idOf(operation.query),
    body: hasBody(operation) ? idOf(operation.body) : undefined,
    success: idOf(responses[statusOfSuccess(operation)]) ?? 'undefined',
    ...(metadata.resource !== undefined && ownTypeNamesOf(metadata)),
  };
}

const idOf = (schema: unknown) => (schema instanceof z.ZodType ? schema.meta()?.id : undefined);

/** Returns the type names that differ from the names of the schemas. */
function ownTypeNamesOf({ resource, operation, field = '' }: RecordMetadata): Partial<TypeNames> | undefined {
  const One = capitalize(resource);
  const names: Readonly<Partial<Record<RecordMetadata['operation'], Partial<TypeNames>>>> = {
    create: { body: `New${One}Input` },
    list: { query: `${One}Query` },
    // The same type for all resources.
    createMany: { success: 'CreateResults' },
    deleteMany: { success: 'DeleteResults' },
    update: { headers: 'Precondition' },
    count: { query: `${capitalize(field)}Query` },
    changes: { query: 'ChangeQuery' },
    history: { query: 'HistoryQuery' },
  };
  return names[operation];
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^/gm, '  ')).join('\n');
}
