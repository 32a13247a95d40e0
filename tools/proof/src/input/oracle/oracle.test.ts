import { describe, expect, it } from 'vitest';
import { readExactNumber } from './exact-number.js';
import { readPlant } from './read-plant.js';
import { readRequests } from './read-requests.js';

const read = (text: string) => readPlant(Buffer.from(text));
const head = 'POST /plants HTTP/1.1\r\nHost: a\r\n';

describe('readExactNumber', () => {
  it.each([
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9.223372036854775808E18', -(2n ** 63n)],
    ['9223372036854775808', undefined],
    ['1.0', 1n],
    ['-0.0e9999999999', 0n],
    ['100e-2', 1n],
    ['1.5', undefined],
    ['1e9999999999', undefined],
  ])('%s is the int64 %s', (literal, int64) => {
    expect(readExactNumber(literal).int64).toBe(int64);
  });

  it('gives equal numbers one form', () => {
    expect(readExactNumber('15e-1').canonical).toBe(readExactNumber('1.50').canonical);
    expect(readExactNumber('-1.5').canonical).not.toBe(readExactNumber('1.5').canonical);
  });
});

describe('readPlant', () => {
  it('reads the plant that a body has', () => {
    const plant = { id: 1n, name: '🌱', tag: null };
    expect(read('{"id":1.0,"name":"\\ud83c\\udf31","id":1}')).toEqual({ errors: [], plant });
  });

  it.each([
    ['{"id":1,"name":"a","id":2}', 40001],
    ['{"id":1,"name":"a","x":{"\\u005f_proto__":1}}', 40001],
    ['\ufeff{"id":1,"name":"a"}', 40001],
    [`{"id":1,"name":"a","x":${'['.repeat(500)}${']'.repeat(500)}}`, 40001],
    ['{"id":1,"name":"\\ud800"}', 40002],
    ['{"id":1,"name":"a","tag":null}', 40002],
  ])('%s is the error %d', (text, error) => {
    expect(read(text)).toEqual({ errors: [error] });
  });
});

describe('readRequests', () => {
  it.each([
    ['complete', `${head}Content-Length: 2\r\n\r\n{}\r\n`, 1],
    ['complete', `${head}Transfer-Encoding: chunked\r\n\r\n1;a\r\n{\r\n0\r\nX: a\r\n\r\n${head}\r\n`, 2],
    ['complete', `${head}Connection: close\r\n\r\nand more`, 1],
    ['incomplete', `${head}Content-Length: 3\r\n\r\n{}`, 0],
    ['incomplete', `${head}\r\n${head}`, 1],
    ['malformed', `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 0],
    ['malformed', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`, 0],
    ['malformed', `${head}X: a\r\n b\r\n\r\n`, 0],
    ['malformed', `${head}\r\n${head}X: a\nY: b\r\n\r\n`, 1],
  ])('finds what is %s: %j', (end, text, count) => {
    const framed = readRequests(Buffer.from(text));
    expect([framed.end, framed.requests.length]).toEqual([end, count]);
  });
});
