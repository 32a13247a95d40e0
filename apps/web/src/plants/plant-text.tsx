import { shorten } from '@plant-store/contract/messages';
import type { Plant } from '@plant-store/contract/operations';

/** One text of a plant, cut off where it is long: a tag as such, nothing where there is none, and words for a name that is empty. */
export function PlantText({ plant, name }: { readonly plant: Plant; readonly name: keyof Plant }) {
  const { [name]: text = '' } = plant;
  if (text === '') return name === 'name' ? <em>(no name)</em> : null;
  return (
    <span className={name === 'tag' ? 'tag' : undefined} dir="auto" translate="no">
      {shorten(text)}
    </span>
  );
}
