import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';

/** What `bench start` writes to `results/start.json`. */
export const StartResultsSchema = z.object({
  machine: MachineSchema,
  /** Medians of all starts. */
  firstReplyMs: z.number(),
  idleMemoryBytes: z.number(),
  starts: z.array(
    z.object({
      /** From the start of the process to the first reply with 200, in milliseconds. */
      firstReplyMs: z.number(),
      /** The memory after two seconds without a request, in bytes. */
      idleMemoryBytes: z.number(),
    }),
  ),
});

export type StartResults = z.output<typeof StartResultsSchema>;
