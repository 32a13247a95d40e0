import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { type FieldName, textNames } from '../../shared/fields.js';
import { hasSameTexts, requiredTexts } from '../../shared/texts.js';

/** A plant that was added in this tab, or that the person tried to add. */
export interface AddedPlant extends Readonly<Plant> {
  /** Its number in this tab. */
  readonly key: number;
  /** The digits of its id. */
  readonly id: string;
  /** `not_added`: it is not stored, and a later attempt may succeed; `unconfirmed`: no reply shows whether it is stored. */
  readonly state: 'sending' | 'stored' | 'present' | 'rejected' | 'not_added' | 'unconfirmed';
  /** What to do, unless the service has the plant. */
  readonly reason?: string | undefined;
  /** When it was added, in milliseconds since the epoch. */
  readonly at: number;
}

/** How many are kept. */
export const maxAdded = 100;

/** How many characters they may have as JSON, except for the newest one: a browser stores 5 MB for a tab. */
export const maxCharacters = 1_000_000;

const interrupted =
  'The request was interrupted, so the plant may already be saved. You can safely add it again.';

/** Puts a plant that is being sent first, and removes an unconfirmed earlier attempt for the same plant. */
export function beginAdding(
  list: readonly AddedPlant[],
  { id, ...texts }: NewPlant,
  at: number,
): readonly AddedPlant[] {
  const plant: AddedPlant = { ...texts, key: (list[0]?.key ?? 0) + 1, id: String(id), state: 'sending', at };
  const others = list.filter((other) => isConfirmed(other) || !isSame(other, plant));
  return [plant, ...takeNewest(others)];
}

/** Records how adding a plant ended. */
export function recordResult(
  list: readonly AddedPlant[],
  key: number,
  result: Pick<AddedPlant, 'state' | 'reason'>,
): readonly AddedPlant[] {
  return list.map((plant) => (plant.key === key ? { ...plant, ...result } : plant));
}

/** Restores the list from before a reload or a sign-out. Plants that were being sent then have no reply. */
export function restoreAdded(kept: unknown): readonly AddedPlant[] {
  if (!Array.isArray(kept)) return [];
  return kept
    .filter(isAddedPlant)
    .map((plant) =>
      plant.state === 'sending' ? { ...plant, state: 'unconfirmed', reason: interrupted } : plant,
    );
}

/** As many of the newest plants as may be kept in addition to one more. */
function takeNewest(list: readonly AddedPlant[]): readonly AddedPlant[] {
  let characters = 0;
  const end = list.findIndex((plant, index) => {
    characters += JSON.stringify(plant).length;
    return characters > maxCharacters || index === maxAdded - 1;
  });
  return end === -1 ? list : list.slice(0, end);
}

/** Whether the service has the plant. */
function isConfirmed({ state }: AddedPlant): boolean {
  return state === 'stored' || state === 'present';
}

/** Whether adding it again may store it. */
export function isUnfinished({ state }: Pick<AddedPlant, 'state'>): boolean {
  return state === 'not_added' || state === 'unconfirmed';
}

function isSame(one: AddedPlant, other: AddedPlant): boolean {
  return one.id === other.id && hasSameTexts(one, other);
}

function isAddedPlant(value: unknown): value is AddedPlant {
  const { key, id, state, at, reason = '', ...texts } = Object(value);
  const states: readonly unknown[] = ['sending', 'stored', 'present', 'rejected', 'not_added', 'unconfirmed'];
  return (
    [key, at].every((number) => Number.isSafeInteger(number)) &&
    [id, reason].every((text) => typeof text === 'string') &&
    textNames.every((name) => isText(texts[name], name)) &&
    /^-?\d+$/.test(id) &&
    states.includes(state)
  );
}

/** A page of another version may not have kept a field that is optional. */
function isText(value: unknown, name: FieldName): boolean {
  return typeof value === 'string' || (value === undefined && !requiredTexts.includes(name));
}
