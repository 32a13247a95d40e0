import { describe, expect, it } from 'vitest';
import { ServiceError } from './errors.js';
import { parseJsonText, requireJson } from './requests.js';

describe('a body', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON ; Charset = UTF-8',
    'application/json; x="; charset=latin1"; charset=utf-8',
    'application/json; charset="ut\\f-8"',
    'application/json; x="; charset=latin1',
    'application/json; charset',
  ])('may have the type %s', (type) => {
    expect(() => requireJson(type, undefined)).not.toThrow();
  });

  it.each([
    'text/plain',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=',
    'application/json; x="a;b"; CHARSET="utf-16"',
  ])('must not have the type %s', (type) => {
    expect(() => requireJson(type, undefined)).toThrow(ServiceError);
  });

  it('may be of the type application/json without a content coding, and must have a type', () => {
    expect(() => requireJson('application/json', 'Identity')).not.toThrow();
    expect(() => requireJson('application/json', 'gzip')).toThrow('gzip');
    expect(() => requireJson(undefined, undefined)).toThrow('There is no content type');
  });

  it('that is not valid JSON is explained briefly, even if the text is long', () => {
    const long = `"${'x'.repeat(199)}\u{1F33F}`;
    expect(() => parseJsonText('', {})).toThrow('it is empty');
    expect(() => parseJsonText('\uFEFF1', {})).toThrow('it starts with a byte order mark');
    for (const text of [long, `[1,${'y'.repeat(300)}]`]) {
      const read = () => parseJsonText(text, {});
      expect(read).toThrow(SyntaxError);
      expect(read).toThrow(/^.{1,200}$/);
    }
  });
});
