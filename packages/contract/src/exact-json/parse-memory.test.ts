import { expect, it } from 'vitest';
import { type JsonShape, parseExactJson } from './parse.js';

const plant: JsonShape = { members: ['id', 'name', 'tag'].map((name) => ({ name, shape: {} })) };

it.each<[string, string]>([
  ['a member', `{"id":1,"x":[${'[],'.repeat(340_000)}[]]}`],
  ['objects', `{"id":1,"x":[${'{"":""},'.repeat(120_000)}{}]}`],
  ['names', `{"id":1${',"abc":0'.repeat(130_000)}}`],
  ['a leaf', `{"id":1,"tag":[${'"",'.repeat(340_000)}""]}`],
  ['strings', `{"id":1,"x":[${'"Monstera deliciosa",'.repeat(50_000)}0]}`],
  ['numbers', `{"id":1,"x":[${'1e9,'.repeat(250_000)}0]}`],
  ['escapes', `{"id":1,"x":["${'\\n\\u00e9'.repeat(120_000)}"]}`],
])('keeps nothing of %s without a meaning', (_, text) => {
  const grownBy = () => {
    const before = process.memoryUsage().heapUsed;
    parseExactJson(text, plant);
    return process.memoryUsage().heapUsed - before;
  };
  grownBy();
  // A garbage collection in between hides allocations, and V8 may allocate for itself once, so the second largest value counts.
  const grown = Array.from({ length: 7 }, grownBy).sort((a, b) => b - a);
  expect(grown[1]).toBeLessThan(500_000);
});
