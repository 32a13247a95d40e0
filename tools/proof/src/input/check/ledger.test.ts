import { expect, it } from 'vitest';
import type { Outcome } from '../oracle/expect-outcome.js';
import { createLedger, type Ledger, type Observer } from './ledger.js';

const monstera = { id: 1n, name: 'Monstera' };
const ficus = { id: 1n, name: 'Ficus' };
const row = { id: 1n, name: 'Monstera', deleted: false };
const tombstone = { id: 1n, name: '', deleted: true };

const createOf = (plant: typeof monstera): Outcome => ({
  errors: [],
  certain: false,
  operation: 'createPlant',
  plant,
});
const get: Outcome = { errors: [], certain: false, operation: 'getPlant', id: 1n };
const remove: Outcome = { errors: [], certain: false, operation: 'deletePlant', id: 1n };

function create(ledger: Ledger, plant = monstera): string[] {
  return ledger.send([createOf(plant)]).stored(plant, false);
}

it('a plant is created, shown, deleted, and gone', () => {
  const ledger = createLedger();
  expect(create(ledger)).toEqual([]);
  expect(ledger.send([get]).shown(1n, monstera)).toEqual([]);
  expect(ledger.compare([row])).toEqual([]);
  expect(ledger.send([remove]).deleted(1n)).toEqual([]);
  expect(ledger.send([get]).absent(1n)).toEqual([]);
  expect(ledger.send([createOf(ficus)]).retired(ficus)).toEqual([]);
  expect(ledger.compare([tombstone])).toEqual([]);
  expect([ledger.size, ledger.deleted]).toEqual([1, 1]);
});

it('what is in flight together may come in either order', () => {
  const ledger = createLedger();
  const [early, late] = [ledger.send([createOf(monstera), get, remove]), ledger.send([get, remove])];
  expect(early.deleted(1n)).toEqual([]);
  expect(late.neverStored(1n)).toEqual([]);
  expect(late.absent(1n)).toEqual([]);
  expect(late.shown(1n, monstera)).toEqual([]);
  expect(early.stored(monstera, false)).toEqual([]);
});

it('a request without a reply may have been carried out, or not', () => {
  const ledger = createLedger();
  ledger.send([createOf(monstera)]);
  expect([ledger.compare([]), ledger.compare([row])]).toEqual([[], []]);
  ledger.send([remove]);
  expect([ledger.compare([]), ledger.compare([row]), ledger.compare([tombstone])]).toEqual([[], [], []]);
  expect(ledger.compare([{ ...row, name: 'Ficus' }])).toEqual(['1 was stored, and not acknowledged']);
});

it.each<[string, string, (observer: Observer) => string[]]>([
  ['a plant that was deleted is shown', 'was deleted before', (observer) => observer.shown(1n, monstera)],
  ['one is created again', 'was deleted before', (observer) => observer.stored(ficus, false)],
  ['one is replayed', 'was deleted before', (observer) => observer.stored(monstera, true)],
  ['its id is answered as taken', 'was deleted before', (observer) => observer.taken(ficus)],
  ['a delete finds none', 'was stored before', (observer) => observer.neverStored(1n)],
])('finds that %s', (_, problem, observe) => {
  const ledger = createLedger();
  create(ledger);
  ledger.send([remove]).deleted(1n);
  const found = observe(ledger.send([createOf(monstera), createOf(ficus), get, remove]));
  expect(found.join()).toContain(problem);
});

it.each<[string, string, (observer: Observer) => string[]]>([
  ['a plant is stored twice', 'stored twice', (observer) => observer.stored(monstera, false)],
  ['another one is shown', 'two plants', (observer) => observer.shown(1n, ficus)],
  ['a plant is gone', 'nobody has deleted', (observer) => observer.absent(1n)],
  ['its id is retired', 'nobody has deleted', (observer) => observer.retired(ficus)],
  ['a plant is shown that nobody sent', 'nobody has created', (observer) => observer.shown(2n, monstera)],
])('finds that %s', (_, problem, observe) => {
  const ledger = createLedger();
  create(ledger);
  const found = observe(ledger.send([createOf(monstera), createOf(ficus), get]));
  expect(found.join()).toContain(problem);
});

it('finds what the database has beyond what was acknowledged, or instead of it', () => {
  const ledger = createLedger();
  create(ledger);
  expect(ledger.compare([]).join()).toContain('is not stored');
  expect(ledger.compare([{ ...row, name: 'Ficus' }]).join()).toContain('was acknowledged as');
  expect(ledger.compare([tombstone]).join()).toContain('which nobody asked for');
  expect(ledger.compare([row, { ...row, id: 2n }])).toEqual(['nobody has sent the plant 2']);
  ledger.send([createOf(monstera)]).taken(monstera);
  expect(ledger.compare([row]).join()).toContain('no other plant has it');
});

it('finds that a deleted plant is in the database, or its text', () => {
  const ledger = createLedger();
  create(ledger);
  ledger.send([remove]).deleted(1n);
  expect(ledger.compare([row]).join()).toContain('was deleted, and is stored');
  expect(ledger.compare([{ ...tombstone, name: 'Monstera' }]).join()).toContain('its text is left');
});

it('a rejected request has done nothing', () => {
  const ledger = createLedger();
  ledger.send([createOf(monstera)]).rejected(monstera);
  expect(ledger.compare([row]).join()).toContain('not acknowledged');
  create(ledger, ficus);
  ledger.send([remove]).notDeleted(1n);
  expect(ledger.compare([tombstone]).join()).toContain('which nobody asked for');
});
