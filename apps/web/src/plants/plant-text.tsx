import type { Plant } from '@plant-store/contract/operations';
import { Fragment } from 'react';
import { textNames } from '../shared/fields.js';
import { toVisible } from '../shared/to-visible.js';
import { Tag } from './tag.js';

interface PlantTextProps {
  readonly plant: Plant;
  readonly name: keyof Plant;
  readonly maxLength?: number;
}

/**
 * One text of a plant, truncated if it is long: a tag in its color, a name with a subdued second part, nothing if absent, and words for a
 * name that is empty or only spaces.
 */
export function PlantText({ plant, name, maxLength }: PlantTextProps) {
  const { [name]: text = '' } = plant;
  if (text === '') return name === 'name' ? <em>(no name)</em> : null;
  if (text.trim() === '') return <em>{toVisible(text)}</em>;
  if (name === 'tag') return <Tag tag={text} maxLength={maxLength} />;
  const [first, second] = name === 'name' ? partsOfName(text) : [text];
  return (
    <span dir="auto" translate="no">
      {toVisible(first, maxLength)}
      {second !== undefined && <span className="second">{toVisible(second, maxLength)}</span>}
    </span>
  );
}

/** All texts of a plant in a line, after a space each. */
export function PlantTexts({ plant }: { readonly plant: Plant }) {
  const shown = textNames.filter((name) => name === 'name' || plant[name]);
  return shown.map((name) => {
    const Element = name === 'name' ? 'strong' : 'span';
    return (
      <Fragment key={name}>
        {' '}
        <Element dir="auto">
          <PlantText plant={plant} name={name} />
        </Element>
      </Fragment>
    );
  });
}

/** Splits a name at its first “ – ”. The second part, with the dash, may be its name in another language. */
export function partsOfName(name: string): readonly [first: string, second?: string] {
  const at = name.indexOf(' – ');
  return at > 0 ? [name.slice(0, at), name.slice(at)] : [name];
}
