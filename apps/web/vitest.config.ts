import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { addField } from '../../packages/contract/test/add-field.js';

/** What all projects have: the sources of the packages instead of their builds. */
const shared = {
  plugins: [react()],
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
};

/** Each file restores what it replaces, so that files can share loaded modules. Only what hangs takes a minute. */
const common = {
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
};
const inJsdom = { ...common, environment: 'jsdom' as const, setupFiles: ['test/setup-jsdom.ts'] };

/** The same tests in a page that the browser translates: `pnpm test:on translated`. */
const translated = {
  ...shared,
  test: {
    name: 'translated',
    include: ['src/**/*.test.tsx'],
    ...inJsdom,
    setupFiles: [...inJsdom.setupFiles, 'test/setup-translated.ts'],
  },
};

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'node',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          setupFiles: ['../../packages/client/test/restore-mocks.ts'],
          ...common,
        },
      },
      { ...shared, test: { name: 'jsdom', include: ['src/**/*.test.tsx'], ...inJsdom } },
      ...(mode === 'translated' ? [translated] : []),
      {
        ...shared,
        plugins: [...shared.plugins, addField()],
        test: {
          name: 'added-field',
          // Ids that were made before a field was added stay as they were.
          include: ['test/added-field.test.tsx', 'src/import/worker/check/generate-id.test.ts'],
          ...inJsdom,
        },
      },
    ],
  },
}));
