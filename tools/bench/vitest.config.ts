import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Only what hangs takes this long, even on a busy machine.
    testTimeout: 180_000,
  },
});
