/** The part of `saxen` that is used here. The package has no types. */
declare module 'saxen' {
  export class Parser {
    on(
      event: 'openTag',
      listener: (name: string, readAttributes: () => Readonly<Record<string, string>>) => void,
    ): this;
    on(event: 'closeTag' | 'text' | 'cdata', listener: (text: string) => void): this;
    write(chunk: string): this;
    end(): this;
  }
}
