/** The part of subset-font that is used; the package has no types. */
declare module 'subset-font' {
  interface Options {
    readonly targetFormat: 'woff2';
    readonly variationAxes: Readonly<
      Record<string, { readonly min: number; readonly max: number; readonly default: number }>
    >;
    /** The features of OpenType that are kept. */
    readonly keepFeatures: readonly string[];
  }

  /** A font with the characters of a text only. */
  function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>;
  export = subsetFont;
}
