import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the mode is `nightly`. */
    readonly isNightly: boolean;
  }
}

/** Whether all trials of the short proofs run, instead of the fewest that show something; see `vitest.config.ts`. */
export const isNightly = inject('isNightly');
