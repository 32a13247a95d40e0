import { writeFileSync } from 'node:fs';
import { printedTypes } from './printed-types.js';

for (const [file, text] of Object.entries(printedTypes()))
  writeFileSync(new URL(`../src/${file}`, import.meta.url), text);
