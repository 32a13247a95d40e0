import { Icon } from '../shared/icon.js';
import { Menu } from '../shared/menu.js';

/** Offers the formats in which plants are exported. */
export function ExportFormats({ onExport }: { onExport(format: 'csv' | 'ndjson'): void }) {
  const label = (
    <>
      <span>Export</span> <Icon name="down" />
    </>
  );
  return (
    <Menu label={label}>
      <button type="button" onClick={() => onExport('csv')}>
        CSV (for spreadsheets)
      </button>
      <button type="button" onClick={() => onExport('ndjson')}>
        NDJSON (for programs)
      </button>
    </Menu>
  );
}
