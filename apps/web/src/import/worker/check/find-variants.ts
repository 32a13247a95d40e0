/** A text that differs from others only in what people do not see, what to write in its place, and how often it is in the lines. */
export interface Variant {
  readonly text: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Finds the texts that differ from others, or from a tidy one, only in spaces, upper and lower case, or the composition of letters. What
 * to write in place of each is the most frequent one.
 *
 * @param counts how often each text is in the lines
 * @param stored how many stored plants have each text, where that is known
 */
export function findVariants(
  counts: ReadonlyMap<string, number>,
  stored: ReadonlyMap<string, number> = new Map(),
): readonly Variant[] {
  const best = new Map<string, { readonly form: string; readonly count: number }>();
  const texts = [...new Set([...counts.keys(), ...stored.keys()])].map((text) => {
    const form = tidy(text);
    return { text, form, key: form.toLowerCase() };
  });
  for (const { text, form, key } of texts) {
    const count = (counts.get(text) ?? 0) + (stored.get(text) ?? 0);
    if (form !== '' && count > (best.get(key)?.count ?? 0)) best.set(key, { form, count });
  }
  return texts.flatMap(({ text, key }) => {
    const [to = text, count] = [best.get(key)?.form, counts.get(text)];
    return to === text || count === undefined ? [] : { text, to, count };
  });
}

/** A text with composed letters, and without spaces around it or several in a row. */
function tidy(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}
