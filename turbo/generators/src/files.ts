import { dependencyOf, type Operation } from './operation.js';

/** The new files of an operation, by their paths. What is to be filled in fails until it is. */
export function filesFor(operation: Operation): Record<string, string> {
  const { file } = operation;
  return {
    [`apps/api/src/plants/${file}.ts`]: writeMeaning(operation),
    [`.changeset/${file}.md`]: writeChangeset(operation),
  };
}

/** An addition to an existing file. */
export interface Edit {
  readonly file: string;
  /** The start of the line before which it is inserted. */
  readonly before: string;
  readonly addition: string;
}

/** The lines that an operation adds to the lists of all operations. */
export function editsFor(operation: Operation): Edit[] {
  const { name, file } = operation;
  const contract = 'packages/contract/src';
  const routes = 'apps/api/src/http/routes/operations.ts';
  return [
    {
      file: `${contract}/routes.ts`,
      before: '} as const satisfies Readonly<Record<string, Route>>;',
      addition: writeRoute(operation),
    },
    {
      file: `${contract}/contract.ts`,
      before: '  },\n  {\n    strictStatusCodes: true,',
      addition: writeContract(operation),
    },
    {
      file: `${contract}/operations.ts`,
      before: '}\n\n/** The body of each reply',
      addition: writeTypes(operation),
    },
    { file: `${contract}/openapi-texts.ts`, before: '};', addition: writeTexts(operation) },
    {
      file: routes,
      before: 'import',
      addition: `import { ${name} } from '../../plants/${file}.js';\n`,
    },
    {
      file: routes,
      before: '  };\n\n  app.set(',
      addition: writeHandler(operation),
    },
    {
      file: 'packages/contract/test/operation-cases.ts',
      before: "  createPlant: 'create',",
      addition: `  ${name}: '${operation.scope}',\n`,
    },
    {
      file: 'packages/contract/test/operation-cases.ts',
      before: '  createPlant: [',
      addition: writeCases(operation),
    },
    {
      file: 'packages/client/src/testing/handlers.ts',
      before: '};\n',
      addition: `  ${name}() {\n    throw new Error('${name} is not implemented');\n  },\n`,
    },
  ];
}

function writeHandler({ name, scope, params, hasBody, success }: Operation): string {
  const parts = [
    ...(params.length > 0 ? ['params'] : []),
    ...(hasBody ? ['body'] : []),
    ...(success === 204 ? ['res'] : []),
  ];
  const values = [
    dependencyOf(scope).dependency,
    ...params.map((param) => `params.${param}`),
    ...(hasBody ? ['body'] : []),
  ];
  const call = `await ${name}(${values.join(', ')})`;
  const reply =
    success === 200
      ? `return { status: 200, body: ${call} };`
      : `${call};
      // Those of other replies are set with their body.
      setCommonHeaders(res.req, res);
      return { status: 204, body: undefined };`;
  return `    async ${name}(${parts.length > 0 ? `{ ${parts.join(', ')} }` : ''}) {
      ${reply}
    },
`;
}

function writeRoute({ name, method, path, params, success }: Operation): string {
  const statuses = [success, 400, 401, 403, ...(params.length > 0 ? [404] : []), 429, 500, 503];
  return `  ${name}: {
    method: '${method}',
    path: '${path}',
    statuses: [${statuses.join(', ')}],
    idempotent: ${/^(GET|PUT|DELETE)$/.test(method)},
  },
`;
}

function writeContract({ name, scope, params, hasBody, success }: Operation): string {
  return `    ${name}: {
      ...routes.${name},
      summary: '${summarize(name)}',
      metadata: { scope: '${scope}' } as const,
      ${params.length > 0 ? `pathParams: z.object({ ${params.map((param) => `${param}: Int64ParameterSchema`).join(', ')} }),` : ''}
      query: NoQuerySchema,
      ${hasBody ? 'body: NewPlantSchema,' : ''}
      responses: { ${success === 200 ? '200: PlantSchema' : '204: noBody'}, 400: errorSchema(400)${params.length > 0 ? ', 404: errorSchema(404)' : ''} },
    },
`;
}

function writeTypes({ name, params, hasBody, success }: Operation): string {
  const parts = [
    ...(params.length > 0
      ? [`params: { ${params.map((param) => `${param}: number | bigint`).join('; ')} };`]
      : []),
    ...(hasBody ? ['body: NewPlantInput;'] : []),
  ];
  const reply = success === 200 ? 'Plant' : 'undefined';
  return `  ${name}: { ${parts.join(' ')} responses: Responses<'${name}', ${reply}> };\n`;
}

function writeTexts({ name, params, hasBody, success }: Operation): string {
  return `
  ${name}: {
    tag: 'plants',
    description: '${summarize(name)}.',
    replies: {
      ${success === 200 ? "200: { description: 'The plant' }," : "204: { description: 'It is deleted' },"}
      400: { description: 'Something is wrong with the request itself'${hasBody ? '' : ", errors: ['bad_request']"} },
      ${params.length > 0 ? "404: { description: 'There is no such plant' }," : ''}
      503: { description: 'The service cannot answer at the moment' },
    },
  },
`;
}

/** The name of an operation in words: `Get plant`. */
function summarize(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (first) => first.toUpperCase());
}

function writeMeaning({ name, scope, params, hasBody, success }: Operation): string {
  const { dependency, type, methods } = dependencyOf(scope);
  const inputs = [
    `_${dependency}: Pick<${type}, ${methods}>`,
    ...params.map((param) => `_${param}: bigint`),
    ...(hasBody ? ['_body: NewPlant'] : []),
  ];
  const types = [...(hasBody ? ['NewPlant'] : []), ...(success === 200 ? ['Plant'] : [])];
  const contract =
    types.length > 0 ? `import type { ${types.join(', ')} } from '@plant-store/contract';\n` : '';
  return `${contract}import type { ${type} } from './plant-store.js';

/** What \`${name}\` means, whatever the transport and the engine. */
export async function ${name}(${inputs.join(', ')}): Promise<${success === 200 ? 'Plant' : 'void'}> {
  throw new Error('${name} is not implemented');
}
`;
}

/** The least that the service and the fake must answer; HEAD wherever there is GET (RFC 9110, section 9.3.2). */
function writeCases({ name, method, path, hasBody, success }: Operation): string {
  const target = path.replace(/:\w+/g, '1');
  const request = hasBody
    ? `{ line: '${method} ${target}', body: plant(1) }`
    : `get('${target}', '${method}')`;
  const reply = success === 200 ? `created({ name: '"Monstera"' })` : 'deleted';
  const head = `    ['HEAD, without the body', get('${target}', 'HEAD'), ok('')],\n`;
  return `  ${name}: [
    ['a request', ${request}, ${reply}],
${method === 'GET' ? head : ''}  ],

`;
}

function writeChangeset({ name, method, path }: Operation): string {
  return `---
'@plant-store/contract': minor
'@plant-store/client': minor
---

The operation \`${name}\`: ${method} ${path}.
`;
}
