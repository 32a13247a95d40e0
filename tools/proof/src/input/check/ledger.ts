import type { StoredPlant } from '../../databases/database.js';

/** The plants that a database must hold after all replies, and no others. */
export interface Ledger {
  /** Notes that a plant was answered 200; returns what is wrong with that. */
  acknowledge(id: bigint, plant: StoredPlant, replayed: boolean): string[];
  /** Notes that a plant may be stored, since a connection ended before the reply. */
  permit(id: bigint, plant: StoredPlant): void;
  /** Notes that a plant was rejected since another has its id. */
  reject(id: bigint, plant: StoredPlant): void;
  /** Compares what is stored with all that was noted. */
  compare(stored: ReadonlyMap<bigint, StoredPlant>): string[];
  /** The number of plants that must be stored. */
  readonly size: number;
}

export function createLedger(): Ledger {
  const acknowledged = new Map<bigint, StoredPlant & { created: number }>();
  const permitted: (readonly [bigint, StoredPlant])[] = [];
  const rejected: (readonly [bigint, StoredPlant])[] = [];
  const isPermitted = (id: bigint, plant: StoredPlant) =>
    permitted.some((other) => other[0] === id && isEqual(other[1], plant));
  return {
    get size() {
      return acknowledged.size;
    },
    acknowledge(id, plant, replayed) {
      const before = acknowledged.get(id);
      const created = replayed ? 0 : 1;
      if (before === undefined) {
        acknowledged.set(id, { ...plant, created });
        return [];
      }
      before.created += created;
      return isEqual(before, plant) ? [] : [`two plants were acknowledged under the id ${id}`];
    },
    permit: (id, plant) => void permitted.push([id, plant]),
    reject: (id, plant) => void rejected.push([id, plant]),
    compare(stored) {
      return [
        ...[...acknowledged].flatMap(([id, plant]) => compareOne(id, plant, stored.get(id))),
        ...[...stored]
          .filter(([id, plant]) => !acknowledged.has(id) && !isPermitted(id, plant))
          .map(([id]) => `${id} was stored, and not acknowledged`),
        ...rejected
          .filter(([id, plant]) => !stored.has(id) || isEqual(plant, stored.get(id)))
          .map(([id]) => `${id} was rejected as taken, but no other plant has it`),
      ];
    },
  };
}

function compareOne(
  id: bigint,
  plant: StoredPlant & { readonly created: number },
  stored: StoredPlant | undefined,
): string[] {
  if (stored === undefined) return [`${id} was acknowledged, and is not stored`];
  if (!isEqual(plant, stored))
    return [`${id} was acknowledged as ${JSON.stringify(plant)} and stored as ${JSON.stringify(stored)}`];
  if (plant.created !== 1) return [`${id} was acknowledged as new ${plant.created} times`];
  return [];
}

function isEqual(a: StoredPlant, b: StoredPlant | undefined): boolean {
  return a.name === b?.name && a.tag === b.tag;
}
