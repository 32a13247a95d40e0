import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { printPageAddress } from './scripts/page-address.js';
import { subsetFonts, subsetName } from './scripts/subset-fonts.js';

/** Where `pnpm dev` runs the service, on the port from the same variable. */
const service = `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;
const proxied = ['/plants', '/tags', '/changes', '/tokens', '/docs', '/openapi.json'];
const tokenFile = join(import.meta.dirname, '../../data/access-token');

/** The first view names all parts, and hashes do not compress: six characters, from an alphabet of 36. */
const fileName = 'assets/[name]-[hash:6].js';
const scriptNames = { entryFileNames: fileName, chunkFileNames: fileName, hashCharacters: 'base36' as const };

export default defineConfig(({ command }) => ({
  // Relative, because a proxy can serve the page under a prefix that is unknown during the build.
  base: command === 'build' ? './' : '/',
  plugins: [react(), printPageAddress({ service, tokenFile }), subsetFonts()],
  // The development server reads the packages' sources, so that edits appear immediately. A build reads the packages' builds.
  resolve: command === 'serve' ? { conditions: ['@plant-store/source', ...defaultClientConditions] } : {},
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(proxied.map((path) => [path, service])),
  },
  build: {
    // The first versions that support light-dark() in CSS.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Neither data: URLs nor inline code, so that the Content-Security-Policy needs no exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Not served. A release reads them to list the packages in the page.
    sourcemap: 'hidden',
    // One file compresses better than a dozen files that lazy parts share with the first view.
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
