import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { printPageAddress } from './scripts/page-address.js';
import { subsetFonts, subsetName } from './scripts/subset-fonts.js';

/** Where `pnpm dev` runs the service, which has its port from the same variable. */
const service = `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;
const proxied = ['/plants', '/tags', '/changes', '/tokens', '/docs', '/openapi.json'];
const tokenFile = join(import.meta.dirname, '../../data/access-token');

/** The first view names all parts, and nothing compresses a hash: six characters in place of eight. */
const fileName = 'assets/[name]-[hash:6].js';
const scriptNames = { entryFileNames: fileName, chunkFileNames: fileName };

export default defineConfig(({ command }) => ({
  // Relative, since a proxy may serve the page under a prefix that nobody knows when it is built.
  base: command === 'build' ? './' : '/',
  plugins: [react(), printPageAddress({ service, tokenFile }), subsetFonts()],
  // The development server reads the sources of the packages, so that an edit shows at once; a build reads their builds.
  resolve: command === 'serve' ? { conditions: ['@plant-store/source', ...defaultClientConditions] } : {},
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(proxied.map((path) => [path, service])),
  },
  build: {
    // The first versions that have light-dark() in CSS.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Neither data: URLs nor inline code, so that the Content-Security-Policy needs no exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Not served: a release finds in them the packages that the page has code of.
    sourcemap: 'hidden',
    // In one file, which compresses better than a dozen of what parts that are loaded later share with it.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] },
        ...scriptNames,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/[name]-${name.endsWith('.woff2') ? `${subsetName}-` : ''}[hash:6][extname]`,
      },
    },
  },
  worker: { format: 'es', rolldownOptions: { output: scriptNames } },
}));
