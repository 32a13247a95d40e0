import { z } from 'zod';
import { MachineSchema } from '../environment/machine.js';
import { LoadResultSchema } from '../load/load.js';

/** The result of one target at one number of connections in one round. */
export const RunSchema = LoadResultSchema.extend({
  target: z.string(),
  connections: z.int(),
  round: z.int(),
  /** The peak memory of its process until the end of the last round. The same in all rounds, like the following fields. */
  peakMemoryBytes: z.number(),
  /** The rows in the database after the last round; `null` for the baseline, which stores nothing. */
  storedPlants: z.int().nullable(),
  /** Whether every plant that was acknowledged during warm-up and rounds is stored. */
  valid: z.boolean(),
});

export type Run = z.output<typeof RunSchema>;

/** The summary of all rounds of one target at one number of connections. */
export const SummarySchema = z.object({
  target: z.string(),
  connections: z.int(),
  /** Medians of the rounds. */
  requestsPerSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** The slowest and the fastest round: how reliable the median is. */
  slowestRequestsPerSecond: z.number(),
  fastestRequestsPerSecond: z.number(),
  /** Its requests/s relative to the service's; `null` when the service was not measured. */
  ratioToPlantStore: z.number().nullable(),
  /** The sum of the rounds. */
  errors: z.int(),
  /** The maximum of the rounds. */
  peakMemoryBytes: z.number(),
  /** Whether every round was valid. */
  valid: z.boolean(),
});

export type Summary = z.output<typeof SummarySchema>;

/** How long and how often to measure. */
export const ComparisonSettingsSchema = z.object({
  rounds: z.int().positive(),
  seconds: z.number().positive(),
  /** How long each target is warmed up, at 64 connections, before its first round. */
  warmupSeconds: z.number().positive(),
  connections: z.array(z.int().positive()).min(1),
});

export type ComparisonSettings = z.output<typeof ComparisonSettingsSchema>;

/** What `bench` writes to `results/latest.json`, and `bench postgresql` to `results/postgresql.json`. */
export const ComparisonResultsSchema = z.object({
  machine: MachineSchema,
  /** The database of all targets, with its version. */
  database: z.string(),
  settings: ComparisonSettingsSchema,
  targets: z.array(z.object({ name: z.string(), title: z.string(), about: z.string(), stores: z.boolean() })),
  summaries: z.array(SummarySchema),
  runs: z.array(RunSchema),
});

export type ComparisonResults = z.output<typeof ComparisonResultsSchema>;
