import type { StoredPlant } from '@plant-store/contract/operations';
import { serviceUrl } from '../shared/plant-store.js';
import { QrCode } from '../shared/qr-code.js';
import { toVisible } from '../shared/to-visible.js';
import './labels.css';
import { partsOfName } from './plant-text.js';
import { hueOf } from './tag.js';

/** The sheets of labels: of A4 with 24 (3 × 8, 70 × 37.125 mm), or of US Letter with 30 (3 × 10, 2.625 × 1 in, Avery 5160). */
export type LabelFormat = 'a4' | 'letter';

/** The longest name that fits on a label in small print, in characters. */
const longest = 280;

interface LabelsProps {
  readonly plants: readonly StoredPlant[];
  readonly format: LabelFormat;
  /** Whether these are all requested labels. */
  readonly isAll: boolean;
}

/** Labels on sheets: the name, the tag, the id, and a QR code that opens the plant. */
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
      data-length={name.length > 90 ? 'long' : undefined}
    >
      <div>
        <p className="label-name" dir="auto">
          {toVisible(first, longest) || '(no name)'}
        </p>
        {second !== undefined && <p dir="auto">{toVisible(second.slice(3), longest)}</p>}
      </div>
      <p className="label-foot">
        {tag?.trim() && <bdi>{`${toVisible(tag, 40)} · `}</bdi>}
        {`${id}`}
      </p>
      <QrCode address={`${serviceUrl}/p/${id}`} label={`QR code for plant ${id}`} />
    </article>
  );
}
