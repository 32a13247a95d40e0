import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the mode is `nightly`. */
    readonly isNightly: boolean;
  }
}

/** Whether every example is tested, instead of one of each kind; see `vitest.config.ts`. */
export const isNightly = inject('isNightly');
