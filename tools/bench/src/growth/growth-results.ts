import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';
import { LoadResultSchema } from '../load/load.js';

/** How long and how often to measure, and with how many plants already stored. */
export const GrowthSettingsSchema = z.object({
  rounds: z.int().positive(),
  seconds: z.number().positive(),
  warmupSeconds: z.number().nonnegative(),
  plants: z.array(z.int().nonnegative()).min(1),
});

export type GrowthSettings = z.output<typeof GrowthSettingsSchema>;

/** The result of one size in one round. */
export const GrowthRunSchema = LoadResultSchema.extend({
  plants: z.int(),
  round: z.int(),
  /** Rows before and after the run; a filled database is kept from round to round. */
  plantsBefore: z.int(),
  plantsAfter: z.int(),
  valid: z.boolean(),
});

export type GrowthRun = z.output<typeof GrowthRunSchema>;

/** The summary of all rounds of one size: medians, and the ratio to the smallest size. */
export const GrowthSummarySchema = z.object({
  plants: z.int(),
  requestsPerSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  ratioToSmallest: z.number(),
  errors: z.int(),
  valid: z.boolean(),
});

export type GrowthSummary = z.output<typeof GrowthSummarySchema>;

/** What `bench growth` writes to `results/growth.json`. */
export const GrowthResultsSchema = z.object({
  machine: MachineSchema,
  settings: GrowthSettingsSchema,
  connections: z.int(),
  summaries: z.array(GrowthSummarySchema),
  runs: z.array(GrowthRunSchema),
});

export type GrowthResults = z.output<typeof GrowthResultsSchema>;
