import { PlantTexts } from '../plants/plant-texts.js';
import { usePlant } from '../plants/use-plants.js';
import { home, navigate } from '../route.js';

interface TakenIdProps {
  readonly id: bigint;
  /** Called to add the plant under another id. */
  onFreeId(): void;
}

/** Which plant has an id that is taken, and the ways to go on. One of a plant that was deleted has none. */
export function TakenId({ id, onFreeId }: TakenIdProps) {
  const { data: holder } = usePlant(id);
  return (
    <div className="other-plant">
      {holder !== undefined && (
        <p>
          The plant with the id <code translate="no">{`${id}`}</code>:
          <PlantTexts plant={holder} />
        </p>
      )}
      <div className="submit-row">
        {holder !== undefined && (
          <button type="button" onClick={() => navigate({ ...home, id: `${id}` })}>
            Open it
          </button>
        )}
        <button type="button" onClick={onFreeId}>
          Use a free id
        </button>
      </div>
    </div>
  );
}
