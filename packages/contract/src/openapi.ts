import { createDocument } from 'zod-openapi';
import { contract } from './contract.js';
import { describePaths, headers } from './openapi-paths.js';
import { texts } from './openapi-texts.js';

/**
 * The OpenAPI 3.1 document of the API, derived from the contract: paths, schemas, examples and errors
 * all come from the definition that the service runs.
 */
export function createOpenApiDocument(): ReturnType<typeof createDocument> {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Plant Store',
        version: '1.0.0',
        description: 'Stores plants, exactly and durably. A 200 means that the plant is on disk.',
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The service that serves this document' }],
      security: [{ bearer: [] }],
      tags: [
        { name: 'plants', description: 'The plants in the store' },
        { name: 'tokens', description: 'The tokens that permit the operations' },
      ],
      paths: describePaths(contract, texts),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An access token that the operator has issued (RFC 6750). It needs the scope that an operation names as x-required-scope, if it names one.',
          },
        },
        headers,
      },
    },
    // A reader ignores fields it does not know, in requests and in replies.
    { override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties },
  );
}
