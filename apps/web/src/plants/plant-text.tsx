import type { Plant } from '@plant-store/contract/operations';
import { toVisible } from '../shared/to-visible.js';

interface PlantTextProps {
  readonly plant: Plant;
  readonly name: keyof Plant;
  readonly maxLength?: number;
}

/** One text of a plant, cut off where it is long: a tag as such, nothing where there is none, and words for a name that is empty or of spaces. */
export function PlantText({ plant, name, maxLength }: PlantTextProps) {
  const { [name]: text = '' } = plant;
  if (text === '') return name === 'name' ? <em>(no name)</em> : null;
  if (text.trim() === '') return <em>{toVisible(text)}</em>;
  return (
    <span className={name === 'tag' ? 'tag' : undefined} dir="auto" translate="no">
      {toVisible(text, maxLength)}
    </span>
  );
}
