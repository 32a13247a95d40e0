// Bundles the command into dist, with separate folders for the web app, the viewer of the OpenAPI document, and the packed client.
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { writeClient } from './client/write-client.js';
import { pageSource, writePage } from './page/write-page.js';
import { writeViewer } from './viewer/write-viewer.js';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
await bundle(dist, { sourcemap: true });
writePage(pageSource, `${dist}/page`);
writeClient(`${dist}/client`);
await writeViewer(`${dist}/docs`, `${dist}/client`);
