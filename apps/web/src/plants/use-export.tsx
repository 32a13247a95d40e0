import { type ReactNode, useEffect, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explain } from '../shared/explain.js';
import { loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { type SavedFile, SavedFileLink } from '../shared/saved-file.js';
import type { ExportFormat } from './export-plants.js';

type Export =
  | { readonly state: 'running'; readonly count: number }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly message: string; readonly file: SavedFile };

/** Saves all plants in the list as a file. `status` shows the progress. */
export function useExport(filter: PlantFilter): {
  start(format: ExportFormat): void;
  readonly status: ReactNode;
} {
  const { client } = usePlantStore();
  const [state, setState] = useState<Export>();
  const [control, setControl] = useState<AbortController>();
  useEffect(() => () => control?.abort(), [control]);
  const run = async (format: ExportFormat) => {
    const started = new AbortController();
    const { signal } = started;
    setControl(started);
    setState({ state: 'running', count: 0 });
    try {
      const { exportPlants } = await loadPart(() => import('./export-plants.js'));
      const { count, file } = await exportPlants({
        client,
        filter,
        format,
        signal,
        onProgress: (exported) => setState({ state: 'running', count: exported }),
      });
      setState({ state: 'done', message: `${count.toLocaleString()} exported.`, file });
    } catch (error) {
      if (signal.aborted) return setState(undefined);
      const isNotLoaded = error instanceof Error && error.message === notLoaded;
      const { message } = explain(error, 'read');
      setState({
        state: 'failed',
        message: isNotLoaded ? notLoaded : `The export failed; nothing was saved. ${message}`,
      });
    }
  };
  const isRunning = state?.state === 'running';
  const status = (
    <div role="status" className="toast" hidden={state === undefined}>
      <p>
        <span>{isRunning ? `${state.count.toLocaleString()} exported so far…` : state?.message}</span>{' '}
        {state?.state === 'done' && <SavedFileLink file={state.file} />}
      </p>
      <button type="button" onClick={() => (isRunning ? control?.abort() : setState(undefined))}>
        {isRunning ? 'Cancel' : 'Dismiss'}
      </button>
    </div>
  );
  return { start: (format) => void run(format), status };
}
