// Bundled by Metro: prints what the client makes of replies, in Node.js and in Hermes, which has JavaScript alone.
import { createClient } from '@plant-store/client';

globalThis.AbortController ??= class {
  abort() {}
};
globalThis.URL ??= class {
  constructor(origin) {
    this.href = `${origin}/`;
  }
};
globalThis.URLSearchParams ??= class {
  toString() {
    return '';
  }
};
globalThis.performance ??= { now: () => 0 };
// Nothing here waits for a time, and Hermes alone calls back at once.
globalThis.setTimeout = () => 0;

const int64 = [
  '0',
  '-1',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];
const others = ['01', '-01', '1.5', '1.0', '1e2', '9007199254740993.0', '-', '"5"', '[1]', 'null', '{}', ''];
const texts = ['', '\\', '\\\\"', '"id":1', '\\"id\\":9007199254740993,', '{"id":1}', '\n\t\u2028', 'é😀'];
const plants = [...int64, ...others].flatMap((id) =>
  texts.flatMap((text) => [
    `{"id":${id},"name":${JSON.stringify(text)}}`,
    `{\r\n "name" : ${JSON.stringify(text)} , "id"\t:  ${id}\n}`,
  ]),
);
const bodies = [
  ...plants,
  ...plants.map((plant) => `{"plants":[${plant},${plants[0]}],"next":"1.x..2"}`),
  ...plants.map((plant) => plant.slice(0, -2)),
];

async function printReplies() {
  for (const text of bodies) {
    const fetch = async () => ({ status: 200, headers: { get: () => null }, text: async () => text });
    const client = createClient({ baseUrl: 'http://plant-store.test', token: 'any', fetch });
    const result = await client.listPlants({}).then(
      ({ body }) => JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
      (error) => error.name,
    );
    globalThis.print(escape(result));
  }
}
printReplies();
