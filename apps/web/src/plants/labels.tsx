import type { StoredPlant } from '@plant-store/contract/operations';
import { serviceUrl } from '../shared/plant-store.js';
import { QrCode } from '../shared/qr-code.js';
import { toVisible } from '../shared/to-visible.js';
import './labels.css';
import { partsOfName } from './plant-text.js';
import { hueOf } from './tag.js';

/** Label sheets: A4 with 24 labels (3 × 8, each 70 × 37.125 mm) or US Letter with 30 (3 × 10, each 2.625 × 1 in, Avery 5160). */
export type LabelFormat = 'a4' | 'letter';

/** The longest name that fits on a label in small print, in characters. */
const maxNameLength = 280;
/** The longest name in large print, in characters. */
const maxLargePrintLength = 90;
/** The maximum length of a tag, in characters. */
const maxTagLength = 40;

interface LabelsProps {
  readonly plants: readonly StoredPlant[];
  readonly format: LabelFormat;
  /** Whether these are all requested labels. */
  readonly isAll: boolean;
}

/** Labels with the name, tag, and ID of each plant, and a QR code that opens it. */
export function Labels({ plants, format, isAll }: LabelsProps) {
  return (
    <section className={`labels labels-${format}`}>
      {plants.map((plant) => (
        <Label key={`${plant.id}`} plant={plant} />
      ))}
      {!isAll && (
        <p className="label">{`Only the first ${plants.length.toLocaleString()} plants are printed. To print others, search or filter the list.`}</p>
      )}
    </section>
  );
}

function Label({ plant: { id, name, tag } }: { readonly plant: StoredPlant }) {
  const [first, second] = partsOfName(name);
  return (
    <article
      className="label"
      data-hue={tag?.trim() ? hueOf(tag) : undefined}
      data-length={name.length > maxLargePrintLength ? 'long' : undefined}
    >
      <div>
        <p className="label-name" dir="auto">
          {toVisible(first, maxNameLength) || '(no name)'}
        </p>
        {second !== undefined && <p dir="auto">{toVisible(second, maxNameLength)}</p>}
      </div>
      <p className="label-foot">
        {tag?.trim() && <bdi>{`${toVisible(tag, maxTagLength)} · `}</bdi>}
        {`${id}`}
      </p>
      <QrCode address={`${serviceUrl}/p/${id}`} label={`QR code for plant ${id}`} />
    </article>
  );
}
