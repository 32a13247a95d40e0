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
 * Shows one of a plant's texts, truncated if it is long. A tag has its color, and the second part of a name is subdued. An absent text
 * shows nothing, but a name that is empty or only spaces is described in words.
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
      {second !== undefined && <span className="second">{toVisible(nameSeparator + second, maxLength)}</span>}
    </span>
  );
}

/** Shows all texts of a plant in one line, each with a space before it. */
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

const nameSeparator = ' – ';

/** Splits a name at its first “ – ”. The second part can be the name in another language. */
export function partsOfName(name: string): readonly [first: string, second?: string] {
  const index = name.indexOf(nameSeparator);
  return index > 0 ? [name.slice(0, index), name.slice(index + nameSeparator.length)] : [name];
}
