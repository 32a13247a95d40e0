import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Finds sources of source maps that neither the maps nor the package contain, each as `map: source`. */
export function findMissingSources(installed: string): string[] {
  const maps = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.map'))
    .map((file) => join(installed, 'dist', file));
  if (maps.length === 0) return [`${installed}: no source map`];
  return maps.flatMap((map) => {
    const { sources, sourcesContent = [] }: SourceMap = JSON.parse(readFileSync(map, 'utf8'));
    return sources
      .filter((source, place) => !sourcesContent[place] && !existsSync(join(dirname(map), source)))
      .map((source) => `${map}: ${source}`);
  });
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}
