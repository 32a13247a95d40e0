import { CARRIAGE_RETURN, END, LINE_FEED, SPACE, TAB } from './code-units.js';

/** A JSON text and the position up to which it is read, in UTF-16 code units. */
export class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at the position, or `END`. */
  peek(): number {
    // Reading beyond the end would give NaN, and make V8 drop its fastest code.
    return this.position < this.text.length ? this.text.charCodeAt(this.position) : END;
  }

  /** Skips white space (RFC 8259, section 2) and gives what `peek` gives there. */
  peekAfterSpace(): number {
    let code = this.peek();
    while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
      this.position++;
      code = this.peek();
    }
    return code;
  }

  /** The error for a text that does not follow the grammar at the position, where `expected` belongs. */
  expected(expected: string): SyntaxError {
    const next = this.text.codePointAt(this.position);
    const found = next === undefined ? 'reached end of input' : `got '${String.fromCodePoint(next)}'`;
    return this.error(`Expected ${expected} but ${found}`);
  }

  /** A syntax error at a position: this one, or another that is given. */
  error(problem: string, position = this.position): SyntaxError {
    return new SyntaxError(`${problem} at position ${position}`);
  }
}
