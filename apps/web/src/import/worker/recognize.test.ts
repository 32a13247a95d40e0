import { expect, it } from 'vitest';
import { file, read } from './testing/read.js';

/** Which column is which field, and whether the first line has titles. */
async function recognize(text: string) {
  const { layout } = await read(file('plants.csv', text));
  const { count, ...columns } = { count: 0, ...layout.columns };
  return { titles: layout.header === 0, ...columns };
}

it.each([
  ['a kind beside a name', 'Nummer;Bezeichnung;Art\n1;Rose;Strauch\n', { id: 0, name: 1, tag: 2 }],
  ['a kind alone, which is the name', 'Nr;Art\n1;Rose\n', { id: 0, name: 1 }],
  ['a kind and a tag', 'Nr;Art;Bezeichnung;Gruppe\n1;a;Rose;b\n', { id: 0, name: 2, tag: 3 }],
  ['Italian', 'codice;nome;categoria\n1;Rosa;b\n', { id: 0, name: 1, tag: 2 }],
  ['Dutch', 'nummer;naam;soort\n1;Roos;b\n', { id: 0, name: 1, tag: 2 }],
  ['an id and its text', 'id,idText,name\n9007199254740992,9007199254740993,Rose\n', { id: 1, name: 2 }],
  ['the text of an id', 'name,idText\nRose,9007199254740993\n', { id: 1, name: 0 }],
  ['names and prices', 'Name;Preis\nRose;5\nFarn;5\nEfeu;5\n', { name: 0 }],
])('recognizes titles: %s', async (_, text, expected) => {
  expect(await recognize(text)).toEqual({ titles: true, ...expected });
});

it.each([
  ['above numbers', 'Foo;Bar\n5;Rose\n6;Fern\n', true],
  ['above prices', 'Foo;Bar\nRose;5\nFern;5\nIvy;5\n', true],
  ['above few other texts', `Foo;Bar\n${'Rose;red\nFern;green\nIvy;red\n'.repeat(2)}`, true],
  ['the same twice', `Foo;Foo\n${'Rose;red\nFern;green\nIvy;red\n'.repeat(2)}`, false],
  ['one of the few texts', `Ivy;red\n${'Rose;red\nFern;green\nIvy;red\n'.repeat(2)}`, false],
  ['texts above different texts', 'Rose;red\nFern;green\nIvy;blue\n', false],
])('recognizes a line of titles that it does not know: %s', async (_, text, titles) => {
  expect(await recognize(text)).toMatchObject({ titles });
});
