import { z } from 'zod';
import { LoadResultSchema } from './load.js';
import { MachineSchema } from './machine.js';

/** One contestant, one number of connections, one round. */
export const RunSchema = LoadResultSchema.extend({
  contestant: z.string(),
  connections: z.int(),
  round: z.int(),
  /** The most that its process held until the end of the last round; the same in all rounds, like what follows. */
  peakMemoryBytes: z.number(),
  /** The rows found in the database after the last round; `null` for the floor, which has none. */
  storedPlants: z.int().nullable(),
  /** Whether every plant acknowledged in any round, or before them, is stored. */
  valid: z.boolean(),
});

export type Run = z.output<typeof RunSchema>;

/** All rounds of one contestant at one number of connections. */
export const SummarySchema = z.object({
  contestant: z.string(),
  connections: z.int(),
  /** Medians of the rounds. */
  requestsPerSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** The slowest and the fastest round: how far the median may be trusted. */
  slowestRequestsPerSecond: z.number(),
  fastestRequestsPerSecond: z.number(),
  /** Its requests/s as a share of the service's; `null` when that did not take part. */
  ratioToPlantStore: z.number().nullable(),
  /** The sum of the rounds. */
  errors: z.int(),
  /** The most of any round. */
  peakMemoryBytes: z.number(),
  /** Whether every round was valid. */
  valid: z.boolean(),
});

export type Summary = z.output<typeof SummarySchema>;

/** How long and how often is measured. */
export const ContestSettingsSchema = z.object({
  rounds: z.int().positive(),
  seconds: z.number().positive(),
  /** How long each is driven at 64 connections before its first round. */
  warmupSeconds: z.number().positive(),
  connections: z.array(z.int().positive()).min(1),
});

export type ContestSettings = z.output<typeof ContestSettingsSchema>;

/** What `bench` writes to `results/latest.json`, and `bench postgresql` to `results/postgresql.json`. */
export const ContestResultsSchema = z.object({
  machine: MachineSchema,
  /** What keeps the plants of all contestants, and its version. */
  database: z.string(),
  settings: ContestSettingsSchema,
  contestants: z.array(
    z.object({ name: z.string(), title: z.string(), about: z.string(), stores: z.boolean() }),
  ),
  summaries: z.array(SummarySchema),
  runs: z.array(RunSchema),
});

export type ContestResults = z.output<typeof ContestResultsSchema>;
