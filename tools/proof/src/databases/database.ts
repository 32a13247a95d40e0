/** The engines that the service runs on. */
export type Engine = 'sqlite' | 'postgresql';

/** A plant as a database has it. */
export interface StoredPlant {
  readonly name: string;
  /** `null` if it has none. */
  readonly tag: string | null;
}

/** A row of the table `plants`. */
export interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  /** `undefined` if it has none. */
  readonly tag: string | undefined;
  /** Whether the plant was deleted, of which only the row is left. */
  readonly deleted: boolean;
}

/** The plants of rows, by id, without those that were deleted. */
export function plantsOf(rows: readonly PlantRow[]): ReadonlyMap<bigint, StoredPlant> {
  const plants = rows.filter(({ deleted }) => !deleted);
  return new Map(plants.map(({ id, name, tag }) => [id, { name, tag: tag ?? null }]));
}

/** A database of the service, read by other means than the service. */
export interface Database {
  readonly engine: Engine;
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  /** All its plants, by id, without those that were deleted. The service may be running. */
  readPlants(): Promise<ReadonlyMap<bigint, StoredPlant>>;
  /** The rows with these ids, or all rows: two of one id, too, if the index of the ids is damaged. */
  readRows(ids?: readonly bigint[]): Promise<readonly PlantRow[]>;
  /** What the engine's own check of the whole database finds wrong; nothing if it is intact, or the engine has none. */
  findDamage(): Promise<readonly string[]>;
}

/** Where new databases are created. */
export interface DatabaseServer {
  readonly engine: Engine;
  /** Creates an empty database. */
  createDatabase(): Promise<Database>;
  /** Stops the server, if there is one. */
  stop(): Promise<void>;
}
