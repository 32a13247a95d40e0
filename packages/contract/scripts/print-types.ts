import { writeFileSync } from 'node:fs';
import { resources } from '../src/resources.js';
import { typesOf } from './types-of.js';

writeFileSync(new URL('../src/types.ts', import.meta.url), typesOf(Object.values(resources)));
