/** The folder of this package: this file is in its `src`, and what it is bundled into in its `dist`. */
export const packageFolder = new URL('../', import.meta.url);
