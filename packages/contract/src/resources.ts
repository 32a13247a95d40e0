import { plant } from './plants.js';

export const resources = { plant } as const;

export type ResourceName = keyof typeof resources;
