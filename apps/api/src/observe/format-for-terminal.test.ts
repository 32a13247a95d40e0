import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { formatForTerminal } from './format-for-terminal.js';

const format = (fields: object) => stripVTControlCharacters(formatForTerminal(JSON.stringify(fields)));

it('shows time, level and message first, then the other fields, on one line', () => {
  const text = format({
    level: 30,
    time: '2026-11-20T12:40:07.659Z',
    path: '/plants',
    status: 200,
    msg: 'request',
  });
  expect(text).toMatch(/^\[\d\d:\d\d:07\.659\] INFO: request \{"path":"\/plants","status":200\}\n$/);
});

it('shows the stack trace of an error below', () => {
  const err = { type: 'Error', message: 'no', code: 'E', stack: 'Error: no\n    at file.js:1' };
  const text = format({ level: 50, time: 0, err, msg: 'failed' });
  expect(text).toContain('ERROR: failed {"error":{"type":"Error","message":"no","code":"E"}}\n');
  expect(text).toMatch(/\}\nError: no\n {4}at file\.js:1\n$/);
});

it('escapes control characters, which a terminal could take as commands', () => {
  const err = { message: '\u001b]0;title\u0007', stack: 'Error: \u001b[2J\u009b2J\n    at file.js:1' };
  const text = formatForTerminal(
    JSON.stringify({ level: 50, path: '/\u001b[2J\u009b2J', err, msg: 'failed' }),
  );
  expect(text).toContain('Error: \\u001b[2J');
  expect(text).toContain('"path":"/\\u001b[2J\\u009b2J"');
  for (const command of ['\u001b]', '\u001b[2J', '\u009b']) expect(text).not.toContain(command);
});
