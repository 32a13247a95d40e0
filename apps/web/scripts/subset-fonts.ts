import { createHash } from 'node:crypto';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const options = {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 600, default: 400 } },
  // The space between letters, and figures of one width.
  keepFeatures: ['kern', 'tnum'],
} as const;

/** The part of a font's name that changes with what is left out: its hash is that of the whole font. */
export const subsetName = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 4);

/** Leaves out of the fonts of a build what the page does not use: other weights, and glyphs that no character has at first. */
export function subsetFonts(): Plugin {
  const characters = String.fromCodePoint(...Array(0xd800).keys());
  return {
    name: 'subset-fonts',
    apply: 'build',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.woff2')) continue;
        file.source = await subsetFont(Buffer.from(file.source), characters, options);
      }
    },
  };
}
