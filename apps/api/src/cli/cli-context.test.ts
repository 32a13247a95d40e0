import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { writeResult } from './cli-context.js';

it.each([true, false])(
  'writes a result exactly, but to a terminal without what it would obey or hide: %s',
  async (isTerminal) => {
    const output = new PassThrough();
    const line = `${JSON.stringify({ name: 'a\u202eb\u009b2J\u{e0061}' })}\n`;
    await writeResult({ output, isTerminal }, line);
    const written = String(output.read());
    expect(written === line).toBe(!isTerminal);
    expect(/[\u202e\u009b\u{e0061}]/u.test(written)).toBe(!isTerminal);
    expect(JSON.parse(written)).toEqual(JSON.parse(line));
  },
);
