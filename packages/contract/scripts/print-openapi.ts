import { writeFileSync } from 'node:fs';
import { createOpenApiDocument } from '../src/openapi.js';

const target = new URL('../openapi.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`);
