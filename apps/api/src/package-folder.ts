/** The folder of this package: this file is in its `src`, and the bundle with this module in its `dist`. */
export const packageFolder = new URL('../', import.meta.url);
