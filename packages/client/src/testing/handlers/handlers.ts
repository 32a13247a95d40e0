import type { routes } from '@plant-store/contract/routes';
import { createPlant } from './create-plant.js';
import type { Handler } from './handler.js';

/** The handler of each operation. */
export const handlers: { readonly [Name in keyof typeof routes]: Handler<Name> } = {
  createPlant,
};
