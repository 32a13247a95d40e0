import fc from 'fast-check';
import type { StoredPlant } from '../databases/database.js';
import {
  expectCreate,
  expectError,
  type PlantModel,
  type Stores,
  sendToAll,
  toBody,
  toId,
} from './plant-model.js';

type Command = fc.AsyncCommand<PlantModel, Stores>;

const always = () => true;

/** A create of any plant: new, a replay, or one whose id is taken, as it happens. */
function create(number: number, plant: StoredPlant, token: number | undefined): Command {
  return {
    check: always,
    toString: () => `create(${number}, ${JSON.stringify(plant)}, token ${token ?? 'main'})`,
    async run(model, stores) {
      const id = toId(number, stores.run);
      const isAccepted = token === undefined || model.tokens.get(token) === true;
      const expected = isAccepted
        ? expectCreate(plant, model.plants.get(number))
        : expectError('invalid_token');
      await sendToAll(stores, toBody(id, plant), toName(token, stores), expected);
      if (expected.status === 200) note(model, stores, number, plant);
    },
  };
}

/** The same plant as the one that is stored. */
function replay(number: number): Command {
  return {
    check: ({ plants }) => plants.has(number),
    toString: () => `replay(${number})`,
    async run({ plants }, stores) {
      const plant = plants.get(number) ?? { name: '', tag: null };
      await sendToAll(stores, toBody(toId(number, stores.run), plant), 'main', expectCreate(plant, plant));
    },
  };
}

/** The same new plant from several callers at once: one stores it, the others find it. */
function race(number: number, plant: StoredPlant, callers: number): Command {
  return {
    check: ({ plants }) => !plants.has(number),
    toString: () => `race(${number}, ${JSON.stringify(plant)}, ${callers} callers)`,
    async run(model, stores) {
      const body = toBody(toId(number, stores.run), plant);
      for (const target of stores.targets) {
        stores.counts.requests += callers;
        const seen = await Promise.all(Array.from({ length: callers }, () => target.send(body, 'main')));
        const created = seen.filter(({ replayed }) => !replayed).length;
        if (created !== 1 || seen.some(({ status }) => status !== 200))
          throw new Error(`${target.name}: ${body} from ${callers} callers led to ${JSON.stringify(seen)}`);
      }
      note(model, stores, number, plant);
    },
  };
}

/** A body that is no plant. */
function reject(name: 'malformed_json' | 'invalid_plant', body: string): Command {
  return {
    check: always,
    toString: () => `reject(${name}, ${JSON.stringify(body)})`,
    run: (_model, stores) => sendToAll(stores, body, 'main', expectError(name)),
  };
}

const withoutToken: Command = {
  check: always,
  toString: () => 'withoutToken',
  run: (_model, stores) => sendToAll(stores, '{"id":1,"name":"a"}', undefined, expectError('missing_token')),
};

function restart(signal: NodeJS.Signals): Command {
  return {
    check: always,
    toString: () => `restart(${signal})`,
    async run(_model, { targets, counts }) {
      await Promise.all(targets.map((target) => target.restart(signal)));
      counts.restarts++;
    },
  };
}

function issue(token: number): Command {
  return {
    check: ({ tokens }) => !tokens.has(token),
    toString: () => `issue(token ${token})`,
    async run({ tokens }, stores) {
      await Promise.all(stores.targets.map((target) => target.issueToken(toName(token, stores))));
      tokens.set(token, true);
    },
  };
}

function revoke(token: number): Command {
  return {
    check: ({ tokens }) => tokens.get(token) === true,
    toString: () => `revoke(token ${token})`,
    async run({ tokens }, stores) {
      const ms = await Promise.all(stores.targets.map((target) => target.revokeToken(toName(token, stores))));
      stores.counts.slowestRevocationMs = Math.max(stores.counts.slowestRevocationMs, ...ms);
      stores.counts.revocations++;
      tokens.set(token, false);
    },
  };
}

/** A token that expires by itself. */
function expire(token: number): Command {
  return {
    check: ({ tokens }) => !tokens.has(token),
    toString: () => `expire(token ${token})`,
    async run({ tokens }, stores) {
      await Promise.all(stores.targets.map((target) => target.expireToken(toName(token, stores))));
      tokens.set(token, false);
    },
  };
}

function note({ plants }: PlantModel, { run, expected }: Stores, number: number, plant: StoredPlant): void {
  plants.set(number, plant);
  expected.set(toId(number, run), plant);
}

function toName(token: number | undefined, { run }: Stores): string {
  return token === undefined ? 'main' : `run-${run}-${token}`;
}

const number = fc.nat(9);
const token = fc.nat(2);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'á', 'á', '🌱', '"\\/\n\u2028'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const plant: fc.Arbitrary<StoredPlant> = fc.record({
  // The one character that names may not have.
  name: text.map((value) => value.replaceAll('\0', '')),
  tag: fc.option(text.map((value) => value.replaceAll('\0', ''))),
});

const rejected = fc.constantFrom<[Parameters<typeof reject>[0], string]>(
  ['malformed_json', ''],
  ['malformed_json', '{"id":1,"name":"a"'],
  ['malformed_json', '{"id":1,"id":2,"name":"a"}'],
  ['malformed_json', '{"id":1,"name":"a","__proto__":1}'],
  ['invalid_plant', '{}'],
  ['invalid_plant', '{"id":"1","name":null,"tag":1}'],
  ['invalid_plant', '{"id":9223372036854775808,"name":"a"}'],
  ['invalid_plant', '{"id":1.5,"name":"\\ud800"}'],
  ['invalid_plant', '[]'],
);

const common = [
  fc.tuple(number, plant, fc.option(token, { nil: undefined, freq: 3 })).map((args) => create(...args)),
  fc.tuple(number, plant, fc.constant(undefined)).map((args) => create(...args)),
  number.map(replay),
  fc.tuple(number, plant, fc.integer({ min: 2, max: 6 })).map((args) => race(...args)),
  rejected.map((args) => reject(...args)),
  fc.constant(withoutToken),
];

const rare = [
  fc.constantFrom<NodeJS.Signals>('SIGKILL', 'SIGTERM').map(restart),
  token.map(issue),
  token.map(revoke),
  token.map(expire),
];

/** Sequences of commands, in which those that start processes are rare. */
export const sequences: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [...common, ...common, ...common, ...common, ...rare],
  { maxCommands: 40, size: 'max' },
);
