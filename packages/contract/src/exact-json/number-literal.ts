/** A JSON number for which neither an int64 nor a fraction of type `number` can stand: its exact text. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
