import { setFlagsFromString } from 'node:v8';

/** How far the heap may outgrow what was alive at the last collection, in percent. */
const growthPercent = 20;

/**
 * Keeps the heap close to what is alive. V8 lets it grow to a multiple before it collects, and under load most of that
 * is requests of the past: they live long enough, while they wait for their commit, to be taken for long-lived. The
 * collector runs beside the requests, so that they are hardly slower for it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}

/**
 * Allocates every new object in the young generation. Where many objects of one line of code outlive a collection, V8
 * allocates those to come as old ones. In about a third of all processes it does so for objects that belong to a
 * request: dead, but old, they keep all of their request alive until the next full collection, of which there are then
 * twenty times as many, and throughput falls by up to 30 % for as long as the process lives.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Keeps the part of the heap that new objects go to at the size that it has: for a command whose objects live so short
 * that a larger one would only hold more garbage. V8 takes it back whenever a thread starts.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
