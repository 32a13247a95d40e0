import type { NewPlant } from '@plant-store/contract/operations';

/** A plant that was added in this tab, or that the person tried to add. */
export interface AddedPlant {
  /** Its number in this tab. */
  readonly key: number;
  /** The digits of its id. */
  readonly id: string;
  readonly name: string;
  readonly tag?: string | undefined;
  /** `unconfirmed`: no reply says whether it is stored. */
  readonly state: 'sending' | 'stored' | 'present' | 'rejected' | 'unconfirmed';
  /** What to do, unless the service has the plant. */
  readonly reason?: string | undefined;
  /** When it was added, in milliseconds since the epoch. */
  readonly at: number;
}

/** How many are kept; each takes what its plant takes, and a browser keeps 5 MB for a tab. */
export const maxAdded = 100;

const interrupted =
  'The page was closed before the reply came, so the plant may be stored. Adding it again is safe.';

/** Puts a plant that is being sent first; an earlier try of the same that the service did not confirm gives way to it. */
export function beginAdding(
  list: readonly AddedPlant[],
  { id, name, tag }: NewPlant,
  at: number,
): readonly AddedPlant[] {
  const plant: AddedPlant = { key: (list[0]?.key ?? 0) + 1, id: String(id), name, tag, state: 'sending', at };
  const others = list.filter((other) => isConfirmed(other) || !isSame(other, plant));
  return [plant, ...others].slice(0, maxAdded);
}

/** Records how adding a plant ended. */
export function settle(
  list: readonly AddedPlant[],
  key: number,
  result: Pick<AddedPlant, 'state' | 'reason'>,
): readonly AddedPlant[] {
  return list.map((plant) => (plant.key === key ? { ...plant, ...result } : plant));
}

/** The list as it was kept before a reload; of a plant that was being sent then, the reply never came. */
export function restoreAdded(kept: unknown): readonly AddedPlant[] {
  if (!Array.isArray(kept)) return [];
  return kept
    .filter(isAddedPlant)
    .map((plant) =>
      plant.state === 'sending' ? { ...plant, state: 'unconfirmed', reason: interrupted } : plant,
    );
}

/** Whether the service has the plant. */
export function isConfirmed({ state }: AddedPlant): boolean {
  return state === 'stored' || state === 'present';
}

function isSame(one: AddedPlant, other: AddedPlant): boolean {
  return one.id === other.id && one.name === other.name && one.tag === other.tag;
}

function isAddedPlant(value: unknown): value is AddedPlant {
  const { key, id, name, tag = '', state, at, reason = '' } = Object(value);
  const states: readonly unknown[] = ['sending', 'stored', 'present', 'rejected', 'unconfirmed'];
  return (
    [key, at].every((number) => Number.isSafeInteger(number)) &&
    [id, name, tag, reason].every((text) => typeof text === 'string') &&
    /^-?\d+$/.test(id) &&
    states.includes(state)
  );
}
