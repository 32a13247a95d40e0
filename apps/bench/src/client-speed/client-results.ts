import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';

/** The creates per second of one pair of short runs, one right after the other. */
const PairSchema = z.object({ fetch: z.number(), client: z.number() });

/** What `bench client` writes to `results/client.json`. */
export const ClientResultsSchema = z.object({
  machine: MachineSchema,
  settings: z.object({
    /** How many pairs are measured at each number of calls at a time. */
    pairs: z.int(),
    /** How long one run of a pair takes, roughly, in milliseconds. */
    runMs: z.number(),
  }),
  summaries: z.array(
    z.object({
      /** How many calls are made at a time. */
      concurrency: z.int(),
      /** Creates per second with `fetch` alone: the median of the pairs. */
      fetch: z.number(),
      /** Creates per second with the client: the median of the pairs. */
      client: z.number(),
      /** The median of the pairs' ratios, client to `fetch`. */
      ratio: z.number(),
      pairs: z.array(PairSchema),
    }),
  ),
});

export type ClientResults = z.output<typeof ClientResultsSchema>;
export type ClientPair = z.output<typeof PairSchema>;
export type ClientSettings = ClientResults['settings'];
export type ClientSummary = ClientResults['summaries'][number];
