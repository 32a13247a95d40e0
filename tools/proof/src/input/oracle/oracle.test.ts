import { describe, expect, it } from 'vitest';
import { readExactNumber } from './exact-number.js';
import { expectOutcome } from './expect-outcome.js';
import { readBatch, readPlant } from './read-plant.js';
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
    const plant = { id: 1n, name: '🌱' };
    expect(read('{"x":1,"id":1,"x":{"y":[],"y":0},"name":"🌱","":[1],"":[2]}')).toEqual({
      errors: [],
      plant,
    });
    expect(read('{"id":1.0,"name":"\\ud83c\\udf31","id":1}')).toEqual({ errors: [], plant });
  });

  it.each([
    ['{"id":1,"name":"a","id":2}', 40001],
    ['{"id":1,"name":"a","tag":[],"t\\u0061g":{}}', 40001],
    ['{"id":1,"name":"a","x":01}', 40001],
    ['{"id":1,"name":"a","x":{"\\u005f_proto__":1}}', 40001],
    ['\ufeff{"id":1,"name":"a"}', 40001],
    [`{"id":1,"name":"a","x":${'['.repeat(500)}${']'.repeat(500)}}`, 40001],
  ])('%s is the error %d', (text, error) => {
    expect(read(text)).toEqual({ errors: [error] });
  });

  it.each([
    ['{"id":1,"name":"\\ud800"}', ['name']],
    ['{"id":1,"name":"a","tag":null}', ['tag']],
    ['{"id":1.5,"tag":"\\u0000"}', ['id', 'name', 'tag']],
    ['{"id":1,"name":"a","tag":[1],"tag":[2]}', ['tag']],
    ['{"id":{"a":1},"name":[],"id":{"a":2}}', ['id', 'name']],
    ['1.5', undefined],
    ['[{"id":1,"name":"a"}]', undefined],
  ])('%s is no plant because of %j', (text, invalidFields) => {
    expect(read(text)).toEqual({ errors: [40002], invalidFields });
  });
});

describe('readBatch', () => {
  const readAll = (text: string) => readBatch(Buffer.from(text));

  it('has an outcome for each plant', () => {
    expect(readAll('{"x":0,"plants":[{"id":1,"name":"a"},{}]}').plants).toEqual([
      { errors: [], plant: { id: 1n, name: 'a' } },
      { errors: [40002], invalidFields: ['id', 'name'] },
    ]);
    expect(readAll(`{"plants":[${'0,'.repeat(999)}0]}`).plants).toHaveLength(1_000);
  });

  it.each([
    ['{"plants":[]}', 40002],
    ['{"plants":{"0":{"id":1,"name":"a"},"length":1}}', 40002],
    ['[{"id":1,"name":"a"}]', 40002],
    ['{"plants":[{"id":1,"name":"a","id":2}]}', 40001],
    ['{"plants":[{"id":1}],"plants":[{"id":2}]}', 40001],
    [`{"plants":[${'0,'.repeat(1_000)}{"id":1,"id":2}]}`, 40006],
    [`{"plants":[${'0,'.repeat(1_000)}0]}`, 40006],
  ])('%s is the error %d', (text, error) => {
    expect(readAll(text)).toEqual({ errors: [error] });
  });
});

describe('expectOutcome', () => {
  const settings = { token: 'pst_a', bodyMaxBytes: 100 };
  const expectOf = (line: string, token = settings.token) => {
    const text = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const [request] = readRequests(Buffer.from(text)).requests;
    return request && expectOutcome(request, settings);
  };

  it.each([
    ['DELETE /plants/-1', { operation: 'deletePlant', id: -1n, errors: [40401] }],
    ['HEAD /plants/1', { operation: 'getPlant', id: 1n, errors: [40401] }],
    ['GET /plants?limit=1&&', { operation: 'listPlants', errors: [] }],
    [`GET /plants?q=${'%F0%9F%8C%B1'.repeat(100)}`, { operation: 'listPlants', errors: [] }],
    ['GET /plants?after=1', { operation: 'listPlants', errors: [40000] }],
  ])('%s may succeed', (line, expected) => {
    expect(expectOf(line)).toMatchObject({ ...expected, certain: false });
  });

  it.each([
    ['DELETE /plants/01', 40000],
    ['DELETE /plants/9223372036854775808', 40000],
    ['GET /plants/batch', 40000],
    ['GET /plants?limit=1&x=1', 40000],
    ['GET /plants?%FF', 40000],
    ['DELETE /plants/1?x', 40000],
    ['PUT /plants/%', 40000],
    ['HEAD /plants/%31', 40000],
    ['GET /plants?q=%FF', 40000],
    ['GET /plants?tag=%', 40000],
    ['GET /plants?%71=a&q=a', 40000],
    ['GET /plants?limit', 40000],
    [`GET /plants?q=${'a'.repeat(101)}`, 40000],
    [`GET /plants?after=${'.'.repeat(101)}`, 40000],
    ['DELETE /plants', 40500],
    ['POST /plants/batch', 40004],
  ])('%s is the error %d', (line, error) => {
    expect(expectOf(line)).toMatchObject({ errors: [error], certain: true });
  });

  it('a delete without a valid token deletes nothing', () => {
    expect(expectOf('DELETE /plants/1', 'pst_b')).toEqual({
      errors: [40100, 40101],
      certain: true,
      operation: 'deletePlant',
    });
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
