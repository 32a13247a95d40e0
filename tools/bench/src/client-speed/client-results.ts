import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';

/** The creates per second of one pair of short runs, one immediately after the other. */
const PairSchema = z.object({ fetch: z.number(), client: z.number() });

/** What `bench client` writes to `results/client.json`. */
export const ClientResultsSchema = z.object({
  machine: MachineSchema,
  settings: z.object({
    /** How many pairs are measured at each concurrency. */
    pairs: z.int(),
    /** How long one run of a pair takes, roughly, in milliseconds. */
    runMs: z.number(),
  }),
  summaries: z.array(
    z.object({
      /** The number of concurrent calls. */
      concurrency: z.int(),
      /** Creates per second with plain `fetch`: the median of the pairs. */
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
