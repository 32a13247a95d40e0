import { accessed, type Operation } from './operation.js';

/** A change of an existing file. */
export interface Edit {
  readonly file: string;
  /** @throws {Error} when the text has no place for it */
  readonly edit: (text: string) => string;
}

/** The changes of existing files that an operation needs. */
export function editsFor(operation: Operation): Edit[] {
  const { name, file, path, method, access } = operation;
  const statuses = statusesOf(operation);
  const idempotent = method === 'GET' || method === 'PUT' || method === 'DELETE';
  return [
    {
      file: 'packages/contract/src/routes.ts',
      edit: before(
        /^} as const/m,
        `${name}: { method: '${method}', path: '${path}', statuses: [${statuses.join(', ')}], idempotent: ${idempotent} },\n`,
      ),
    },
    { file: 'packages/contract/src/request-schemas.ts', edit: editRequestSchemas(operation) },
    {
      file: 'packages/contract/src/operations.ts',
      edit: before(/^}\s*(?![\s\S])/m, describeTypes(operation)),
    },
    {
      file: 'packages/contract/src/contract.ts',
      edit: before(/^ {2}} satisfies Contract/m, describeRoute(operation)),
    },
    {
      file: 'packages/client/src/testing/handlers/handlers.ts',
      edit: compose(
        before(/^import/m, `import { ${name} } from './${file}.js';\n`),
        before(/^};/m, `${name},\n`),
      ),
    },
    {
      file: 'apps/api/src/http/routes/operations.ts',
      edit: compose(
        before(/^import/m, `import { ${name}Handler } from './${file}.js';\n`),
        before(
          /^ {2}};\n\n {2}app\.set/m,
          `${name}: { middleware: middlewareOf('${name}'), handler: ${name}Handler(dependencies.${accessed[access].dependency}) },\n`,
        ),
      ),
    },
    ...(access === 'read' ? storeEdits : []),
  ];
}

/** The statuses that an operation starts with. */
function statusesOf({ params }: Operation): number[] {
  return [200, 400, 401, 403, ...(params.length > 0 ? [404] : []), 429, 500, 503];
}

/** Operations are given the store itself, once one of them reads from it. */
const storeEdits: readonly Edit[] = [
  {
    file: 'apps/api/src/http/routes/operations.ts',
    edit: unlessPresent(
      'readonly store: PlantStore;',
      compose(
        before(/^import/m, "import type { PlantStore } from '../../plants/plant-store.js';\n"),
        before(
          /^ {2}readonly plants: PlantBatcher;/m,
          '  /** What operations read from; they write through `plants`. */\n  readonly store: PlantStore;\n',
        ),
      ),
    ),
  },
  giveStore('src/service.ts', 'store: backend.store,'),
  giveStore('test/support/open-app.ts', 'store: database.plants,'),
  giveStore('test/service/overload.test.ts', 'store: { insert, async *read() {} },'),
];

function giveStore(file: string, store: string): Edit {
  const edit = unlessPresent(store, after(/createApp\(\{\s*\.\.\.config,/, ` ${store}`));
  return { file: `apps/api/${file}`, edit };
}

function editRequestSchemas({ name, params, hasBody }: Operation): Edit['edit'] {
  const path = params.map((param) => `${param}: Int64ParameterSchema`).join(', ');
  const parts = [
    ...(params.length > 0 ? [`path: z.object({ ${path} })`] : []),
    ...(hasBody ? ['body: NewPlantSchema'] : []),
  ];
  const entry = before(/^} satisfies Record/m, `${name}: { ${parts.join(', ')} },\n`);
  if (params.length === 0) return entry;
  const imports =
    "import * as z from 'zod';\nimport { Int64ParameterSchema } from './int64/int64-parameter-schema.js';\n";
  return compose(unlessPresent("import * as z from 'zod';", before(/^import/m, imports)), entry);
}

function describeTypes({ name, params, hasBody }: Operation): string {
  const types = params.map((param) => `${param}: number | bigint`).join('; ');
  return `
  ${name}: {
${params.length > 0 ? `    params: { ${types} };\n` : ''}${hasBody ? '    body: NewPlantInput;\n' : ''}    responses: Responses<'${name}', Plant>;
  };
`;
}

function describeRoute(operation: Operation): string {
  const { name, params, hasBody, access } = operation;
  const summary = name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (first) => first.toUpperCase());
  const badRequest = hasBody ? '' : ", errors: ['bad_request']";
  return `
    ${name}: {
      method: routes.${name}.method,
      path: routes.${name}.path,
      summary: '${summary}',
      description: '${summary}.',
      metadata: {
        access: '${access}',
        tag: 'plants',
        replies: {
          200: { description: 'The plant' },
          400: { description: 'Something is wrong with the request itself'${badRequest} },
          ${params.length > 0 ? "404: { description: 'There is no such plant' }," : ''}
          503: { description: 'The service cannot answer at the moment' },
        },
      } satisfies OperationMetadata<'${name}'>,
      ${params.length > 0 ? `pathParams: requestSchemas.${name}.path,` : ''}
      ${hasBody ? `body: requestSchemas.${name}.body,` : ''}
      responses: {
        200: PlantSchema,
        ${statusesOf(operation)
          .slice(1)
          .map((status) => `${status}: errorSchemaOf(${status}),`)
          .join('\n')}
      } satisfies Replies<'${name}'>,
    },
`;
}

function before(anchor: RegExp, addition: string): Edit['edit'] {
  return (text) => insert(text, anchor, (found) => addition + found);
}

function after(anchor: RegExp, addition: string): Edit['edit'] {
  return (text) => insert(text, anchor, (found) => found + addition);
}

function insert(text: string, anchor: RegExp, replace: (found: string) => string): string {
  if (!anchor.test(text)) throw new Error(`No place to insert at: ${anchor} is not in\n${text}`);
  return text.replace(anchor, replace);
}

function compose(...edits: readonly Edit['edit'][]): Edit['edit'] {
  return (text) => edits.reduce((edited, edit) => edit(edited), text);
}

function unlessPresent(present: string, edit: Edit['edit']): Edit['edit'] {
  return (text) => (text.includes(present) ? text : edit(text));
}
