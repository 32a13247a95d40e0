import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { afterEach, describe, expect, it, vi } from 'vitest';

const parseJson = JSON.parse;

/** An engine that gives revivers no source text, as React Native's. */
function withoutSource(): void {
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
    parseJson(text, reviver && ((name, value) => reviver(name, value))),
  );
}

describe.each(['with source text', 'without'])('parsing a reply in an engine %s', (engine) => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  async function loadParseReply() {
    if (engine === 'without') withoutSource();
    return (await import('./parse-reply.js')).parseReply;
  }

  it.each([
    ['{"id":9223372036854775807,"name":"x"}', { id: 9223372036854775807n, name: 'x' }],
    ['{"id": -9223372036854775808 }', { id: -9223372036854775808n }],
    ['{"id":0}', { id: 0n }],
    [
      '{"plants":[{"id":1,"name":"a"},{"id":9007199254740993}],"next":"1.x..2"}',
      { plants: [{ id: 1n, name: 'a' }, { id: 9007199254740993n }], next: '1.x..2' },
    ],
    ['{"error":40000,"message":"\\"id\\":7"}', { error: 40000, message: '"id":7' }],
    ['{"name":"{\\"id\\":1}","id":2}', { name: '{"id":1}', id: 2n }],
    ['{"name":"\\\\","id":9007199254740993}', { name: '\\', id: 9007199254740993n }],
    ['{"name":"x"}', { name: 'x' }],
    ['{"id":"5"}', { id: '5' }],
    ['{"id":[1]}', { id: [1] }],
    ['{"id":null}', { id: null }],
    ['{"id":{"id":9007199254740993}}', { id: { id: 9007199254740993n } }],
  ])('keeps every id exact: %s', async (text, value) => {
    const parseReply = await loadParseReply();
    expect(parseReply(text)).toStrictEqual(value);
  });

  it('parses what the service may send, whatever the texts of plants', async () => {
    const parseReply = await loadParseReply();
    const texts = ['', '"id":1', '\\"id\\":1,', '{"id":1}', '\\', '\\\\"', '"', 'id', '\n\u2028\ud800'];
    const ids = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const plants = texts.flatMap((name, index) =>
      texts.map((tag) => ({ id: ids[index % ids.length] ?? 0n, name, tag })),
    );
    expect(parseReply(stringifyExactJson({ plants }))).toEqual({ plants });
    for (const plant of plants) expect(parseReply(stringifyExactJson(plant))).toEqual(plant);
  });

  it.each([
    ['what is not JSON', ['', '{', '{"id":}', '{"id":1', '{"id":01}', '{"id":-01}', '{"id":1.}', '{"id":-}']],
    ['an id that is no integer in digits', ['1.5', '1.0', '1e2', '1e400'].map((id) => `{"id":${id}}`)],
  ])('throws a SyntaxError for %s', async (_, texts) => {
    const parseReply = await loadParseReply();
    for (const text of texts) expect(() => parseReply(text), text).toThrow(SyntaxError);
  });
});
