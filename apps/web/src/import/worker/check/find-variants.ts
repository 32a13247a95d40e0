/** A spelling to replace, its replacement, and how many lines contain it. */
export interface Variant {
  readonly text: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Finds texts that differ only in spaces, case, or Unicode composition from another text or from their own tidied form. The replacement is
 * the tidied form of the most frequent spelling.
 *
 * @param given the texts of the lines, with repetitions
 * @param stored the number of stored plants with each text
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

/** Composes letters, trims the text, and collapses spaces. */
function tidy(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}
