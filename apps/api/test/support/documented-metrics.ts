import { readPage } from './read-markdown.js';

/** Reads the metrics that the page on observability lists. A meaning starts with `SQLite: ` if only SQLite has the metric. */
export function readDocumentedMetrics(): readonly { readonly name: string; readonly meaning: string }[] {
  const rows = readPage('docs/operate/observability.md').matchAll(/^\| (`plant_store_.*?`) \| (.*) \|$/gm);
  return [...rows].flatMap(([, names = '', meaning = '']) =>
    (names.match(/\w+/g) ?? []).map((name) => ({ name, meaning })),
  );
}
