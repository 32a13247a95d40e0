// Bundles the command into dist.
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';

await bundle(fileURLToPath(new URL('../dist', import.meta.url)), { sourcemap: true });
