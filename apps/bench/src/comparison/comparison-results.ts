import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';
import { LoadResultSchema } from '../load/load.js';

/** One target, one number of connections, one round. */
export const RunSchema = LoadResultSchema.extend({
  target: z.string(),
  connections: z.int(),
  round: z.int(),
  /** The most that its process held until the end of the last round; the same in all rounds, like what follows. */
  peakMemoryBytes: z.number(),
  /** The rows found in the database after the last round; `null` for the baseline, which has none. */
  storedPlants: z.int().nullable(),
  /** Whether every plant acknowledged in any round, or before them, is stored. */
  valid: z.boolean(),
});

export type Run = z.output<typeof RunSchema>;

/** All rounds of one target at one number of connections. */
export const SummarySchema = z.object({
  target: z.string(),
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
export const ComparisonSettingsSchema = z.object({
  rounds: z.int().positive(),
  seconds: z.number().positive(),
  /** How long each is driven at 64 connections before its first round. */
  warmupSeconds: z.number().positive(),
  connections: z.array(z.int().positive()).min(1),
});

export type ComparisonSettings = z.output<typeof ComparisonSettingsSchema>;

/** What `bench` writes to `results/latest.json`, and `bench postgresql` to `results/postgresql.json`. */
export const ComparisonResultsSchema = z.object({
  machine: MachineSchema,
  /** What keeps the plants of all targets, and its version. */
  database: z.string(),
  settings: ComparisonSettingsSchema,
  targets: z.array(z.object({ name: z.string(), title: z.string(), about: z.string(), stores: z.boolean() })),
  summaries: z.array(SummarySchema),
  runs: z.array(RunSchema),
});

export type ComparisonResults = z.output<typeof ComparisonResultsSchema>;
