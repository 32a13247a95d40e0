/** A text that differs from others only invisibly, its replacement, and how often it is in the lines. */
export interface Variant {
  readonly text: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Finds the texts that differ from others, or from a tidy one, only in spaces, upper and lower case, or the composition of letters. The
 * replacement is the most frequent form.
 *
 * @param given the texts of the lines
 * @param stored how many stored plants have each text, if known
 */
export function findVariants(
  given: readonly string[],
  stored: ReadonlyMap<string, number> = new Map(),
): readonly Variant[] {
  const counts = new Map<string, number>();
  for (const text of given) counts.set(text, (counts.get(text) ?? 0) + 1);
  const total = (text: string) => (counts.get(text) ?? 0) + (stored.get(text) ?? 0);
  const all = new Set([...given, ...stored.keys()]);
  return [...Map.groupBy(all, (text) => tidy(text).toLowerCase()).values()].flatMap((texts) => {
    const to = tidy(texts.reduce((best, text) => (total(text) > total(best) ? text : best)));
    const others = to === '' ? [] : texts.filter((text) => text !== to && counts.has(text));
    return others.map((text) => ({ text, to, count: counts.get(text) ?? 0 }));
  });
}

/** A text with composed letters, and without spaces around it or several in a row. */
function tidy(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}
