// Bundles the command into dist, with the page in a folder of its own.
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { pageSource, writePage } from './page/write-page.js';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
await bundle(dist, { sourcemap: true });
writePage(pageSource, `${dist}/page`);
