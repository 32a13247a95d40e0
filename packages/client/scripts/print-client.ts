import { readFileSync, writeFileSync } from 'node:fs';
import { clientOf } from './client-of.js';

const file = new URL('../src/client.ts', import.meta.url);
writeFileSync(file, clientOf(readFileSync(file, 'utf8')));
