/** How many different texts of a field are compared: more would take much memory, and are hardly written by hand. */
const maxForms = 100_000;

/** How often each text of a field is in the lines. */
export class Forms {
  readonly #counts = new Map<string, number>();

  add(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < maxForms) this.#counts.set(text, (count ?? 0) + 1);
  }

  /**
   * The texts that differ from others, or from a tidy one, only in spaces, upper and lower case, or the composition of letters: each with
   * the text to write in its place, which is the most frequent one, and how often it is in the lines.
   *
   * @param stored how many stored plants have each text, where that is known
   */
  findVariants(stored: ReadonlyMap<string, number> = new Map()): readonly Variant[] {
    const best = new Map<string, { readonly form: string; readonly count: number }>();
    for (const text of new Set([...this.#counts.keys(), ...stored.keys()])) {
      const form = tidy(text);
      const count = (this.#counts.get(text) ?? 0) + (stored.get(text) ?? 0);
      const key = form.toLowerCase();
      if (form !== '' && count > (best.get(key)?.count ?? 0)) best.set(key, { form, count });
    }
    return [...this.#counts].flatMap(([text, count]) => {
      const to = best.get(tidy(text).toLowerCase())?.form ?? text;
      return to === text ? [] : { text, to, count };
    });
  }
}

export interface Variant {
  readonly text: string;
  readonly to: string;
  readonly count: number;
}

/** A text with composed letters, and without spaces around it or several in a row. */
function tidy(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}
