import { expect, it } from 'vitest';
import { parseJsonText } from './requests.js';

// request-cases.ts of the contract tests which content types and which texts a request may have.

it('a body that is not valid JSON is explained briefly, even if the text is long', () => {
  for (const text of [`"${'x'.repeat(199)}\u{1F33F}`, `[1,${'y'.repeat(300)}]`]) {
    const read = () => parseJsonText(text, {});
    expect(read).toThrow(SyntaxError);
    expect(read).toThrow(/^.{1,200}$/);
  }
});
