import { createDocument } from 'zod-openapi';
import { contract } from './contract.js';
import type { Operation } from './metadata.js';
import { exampleOf } from './openapi-examples.js';
import { describePaths, headers } from './openapi-paths.js';
import { schemasOf } from './record-schemas.js';
import { capitalize } from './resource.js';
import { resources } from './resources.js';

/** The example of each request body, by its schema. */
const exampleBodies = new Map<unknown, unknown>(
  Object.values<Operation>(contract).flatMap((operation) =>
    'body' in operation ? [[operation.body, exampleOf(operation).body]] : [],
  ),
);

/** The item schemas of update batches, by component name. The batches refer to them only by name. */
const updateSchemas = Object.fromEntries(
  Object.values<Operation>(contract).flatMap(({ metadata }) =>
    metadata.operation === 'updateMany'
      ? [[`${capitalize(metadata.resource)}Update`, schemasOf(resources[metadata.resource]).update]]
      : [],
  ),
);

/**
 * Creates the OpenAPI 3.1 document of the API from the contract: the paths, schemas, examples, and errors are those of the service.
 */
export function createOpenApiDocument(): ReturnType<typeof createDocument> {
  return createDocument(
    {
      // Not 3.1.1, which many tools do not support. It differs only in wording.
      openapi: '3.1.0',
      info: {
        title: 'Plant Store',
        version: '1.0.0',
        description: 'Stores plants exactly and durably. A 200 status means that the plant is on disk.',
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'http://127.0.0.1:3000', description: 'Plant Store' }],
      security: [{ bearer: [] }],
      tags: [
        ...Object.values(resources).map(({ plural }) => ({
          name: plural,
          description: `The ${plural} in the store`,
        })),
        { name: 'tokens', description: 'Access tokens and the audit log' },
      ],
      paths: describePaths(contract),
      components: {
        schemas: updateSchemas,
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An access token, or a JSON Web Token from an identity provider that the service accepts (RFC 6750). If the security requirement of an operation lists a scope, the token needs that scope.',
          },
        },
        headers,
      },
    },
    {
      override({ zodSchema, jsonSchema }) {
        // Unknown fields are ignored, in requests and in replies.
        delete jsonSchema.additionalProperties;
        // OpenAPI 3.1 deprecates `example` in schemas, but Insomnia reads no other example of a body.
        if (exampleBodies.has(zodSchema)) Reflect.set(jsonSchema, 'example', exampleBodies.get(zodSchema));
      },
    },
  );
}
