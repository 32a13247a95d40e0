import { plant } from './plants.js';

/** All resources of the API, by their names. */
export const resources = { plant } as const;

export type ResourceName = keyof typeof resources;
