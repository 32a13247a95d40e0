import { fieldsOf } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';

/** The engines that the service runs on. */
export type Engine = 'sqlite' | 'postgresql';

/** A row of the table `plants`. */
export interface PlantRow extends NewPlant {
  /** Whether the plant was deleted, of which only the row is left. */
  readonly deleted: boolean;
}

/** All columns of a row as an engine gives them, with `null` for a text that a plant does not have. */
export interface Columns {
  readonly id: bigint | string;
  readonly deleted: bigint | boolean;
}

export function toRow({ id, deleted, ...others }: Columns): PlantRow {
  const present = Object.entries(others).filter(([, value]) => value !== null);
  return { id: BigInt(id), deleted: Boolean(deleted), ...fieldsOf(Object.fromEntries(present) as Plant) };
}

/** A database of the service, read by other means than the service. */
export interface Database {
  readonly engine: Engine;
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  /**
   * The rows with these ids, or all rows: two of one id, too, if the index of the ids is damaged. The service may be running.
   */
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
