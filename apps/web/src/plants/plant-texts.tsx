import type { Plant } from '@plant-store/contract/operations';
import { Fragment } from 'react';
import { textNames } from '../shared/fields.js';
import { PlantText } from './plant-text.js';

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
