import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { type FieldName, textNames } from '../../shared/fields.js';
import { hasSameTexts, requiredTexts } from '../../shared/texts.js';

/** `not_added`: the plant is not stored, and a retry can succeed. `unconfirmed`: no reply shows whether the plant is stored. */
const states = ['sending', 'stored', 'present', 'rejected', 'not_added', 'unconfirmed'] as const;

/** A plant that was added in this tab, or that the person tried to add. */
export interface AddedPlant extends Readonly<Plant> {
  /** Identifies the plant in the list. A newer plant has a higher key. */
  readonly key: number;
  /** The ID in decimal. */
  readonly id: string;
  readonly state: (typeof states)[number];
  /** Why the plant was not stored, or may not have been, and what to do. */
  readonly reason?: string | undefined;
  /** When the plant was sent, in milliseconds since the epoch. */
  readonly at: number;
}

/** The maximum number of listed plants. */
export const maxAdded = 100;

/** The maximum size of the list as JSON, without the newest plant, in characters. A browser stores 5 MB for a tab. */
export const maxCharacters = 1_000_000;

const interrupted =
  'The request was interrupted, so the plant may already be saved. You can safely add it again.';

/** Puts a plant that is about to be sent at the front of the list, and removes earlier unconfirmed attempts to add the same plant. */
export function beginAdding(
  list: readonly AddedPlant[],
  { id, ...texts }: NewPlant,
  at: number,
): readonly AddedPlant[] {
  const plant: AddedPlant = { ...texts, key: (list[0]?.key ?? 0) + 1, id: String(id), state: 'sending', at };
  const others = list.filter((other) => isConfirmed(other) || !isSame(other, plant));
  return [plant, ...takeNewest(others)];
}

/** Records the result for a plant. */
export function recordResult(
  list: readonly AddedPlant[],
  key: number,
  result: Pick<AddedPlant, 'state' | 'reason'>,
): readonly AddedPlant[] {
  return list.map((plant) => (plant.key === key ? { ...plant, ...result } : plant));
}

/** Restores the list after a reload or a sign-in. Plants that were being sent become `unconfirmed`. */
export function restoreAdded(kept: unknown): readonly AddedPlant[] {
  if (!Array.isArray(kept)) return [];
  return kept
    .filter(isAddedPlant)
    .map((plant) =>
      plant.state === 'sending' ? { ...plant, state: 'unconfirmed', reason: interrupted } : plant,
    );
}

/** Returns the newest plants, so that one more plant can be added within the limits. */
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

/** Whether adding the plant again can store it. */
export function isUnfinished({ state }: Pick<AddedPlant, 'state'>): boolean {
  return state === 'not_added' || state === 'unconfirmed';
}

function isSame(one: AddedPlant, other: AddedPlant): boolean {
  return one.id === other.id && hasSameTexts(one, other);
}

function isAddedPlant(value: unknown): value is AddedPlant {
  const { key, id, state, at, reason = '', ...texts } = Object(value);
  return (
    [key, at].every((number) => Number.isSafeInteger(number)) &&
    [id, reason].every((text) => typeof text === 'string') &&
    textNames.every((name) => isText(texts[name], name)) &&
    /^-?\d+$/.test(id) &&
    states.includes(state)
  );
}

/** Whether a value is a text, or an absent optional field. A list from another version of the page can lack a field. */
function isText(value: unknown, name: FieldName): boolean {
  return typeof value === 'string' || (value === undefined && !requiredTexts.includes(name));
}
