import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Router } from 'express';
import { methodNotAllowed } from './method-not-allowed.js';

/** Serves the OpenAPI document of the interface, which needs no token. */
export function openApi(): Router {
  const document = readFileSync(createRequire(import.meta.url).resolve('@plant-store/contract/openapi.json'));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(document);
  });
  router.all('/openapi.json', methodNotAllowed(['GET', 'HEAD']));
  return router;
}
