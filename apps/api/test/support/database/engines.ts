import type { DatabaseLocation } from '../../../src/database/database-location.js';

export type Engine = DatabaseLocation['engine'];

/** The engines on which the tests of the API run, each as a vitest project; see `vitest.config.ts`. */
export const engines = ['sqlite', 'postgresql'] as const satisfies readonly Engine[];

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine that the services of this project use. */
    readonly engine: Engine;
    /** The setting `FAST_PATH` of the services of this project. */
    readonly fastPath: 'on' | 'off';
  }
}
