export * from './create-fake-plant-store.js';
export type { DelayFault, DropFault, Fault, MalformedFault, RefuseFault, StatusFault } from './faults.js';
