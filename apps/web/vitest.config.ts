import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { addField } from '../../packages/contract/test/add-field.js';

/** What all projects have: the sources of the packages instead of their builds. */
const shared = {
  plugins: [react()],
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
};

/** Only what hangs takes this long, even on a busy machine. */
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'node',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          environment: 'node',
          // Each file restores what it replaces, so that they can share loaded modules.
          isolate: false,
          setupFiles: ['test/restore-mocks.ts'],
          ...timeouts,
        },
      },
      {
        ...shared,
        test: {
          name: 'jsdom',
          include: ['src/**/*.test.tsx'],
          environment: 'jsdom',
          // Each file has a context of its own in a thread that stays, which takes half the processor time of a process each.
          pool: 'vmThreads',
          setupFiles: ['test/setup-jsdom.ts'],
          ...timeouts,
        },
      },
      {
        ...shared,
        plugins: [...shared.plugins, addField()],
        test: {
          name: 'added-field',
          // Ids that were made before a field was added stay as they were.
          include: ['test/added-field.test.tsx', 'src/import/worker/check/generate-id.test.ts'],
          environment: 'jsdom',
          pool: 'vmThreads',
          setupFiles: ['test/setup-jsdom.ts'],
          ...timeouts,
        },
      },
    ],
  },
});
