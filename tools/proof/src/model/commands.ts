import { plantFilters } from '@plant-store/contract/fields';
import type { Plant } from '@plant-store/contract/operations';
import type { routes } from '@plant-store/contract/routes';
import fc from 'fast-check';
import { plantWith, withoutTexts } from '../plant.js';
import { type ListQuery, requireListed } from './list.js';
import {
  type Call,
  copyModel,
  createCall,
  createManyCall,
  expectError,
  type Item,
  idsOfRun,
  type PlantModel,
  removeCall,
  requireExpected,
  type Stores,
  sendToAll,
  showCall,
  toId,
} from './plant-model.js';
import type { Interruption, Request } from './targets/target.js';

type Command = fc.AsyncCommand<PlantModel, Stores>;

const always = () => true;

/** A request of any outcome, as it happens. */
function send(call: Call, token?: number): Command {
  return {
    check: always,
    toString: () => `${call.label}${token === undefined ? '' : ` with token ${token}`}`,
    async run(model, stores) {
      const isAccepted = token === undefined || model.tokens.get(token) === true;
      const expected = isAccepted ? call.apply(model) : expectError('invalid_token');
      await sendToAll(stores, call.compose(model.run), toName(token, model), expected);
    },
  };
}

/** The same plant as the one that is stored. */
function replay(number: number): Command {
  return {
    check: ({ plants, run }) => plants.has(toId(number, run)),
    toString: () => `replay(${number})`,
    run(model, stores) {
      const plant = model.plants.get(toId(number, model.run)) ?? withoutTexts;
      return send(createCall(number, plant)).run(model, stores);
    },
  };
}

/** The same new plant from several callers at once: one stores it, the others find it. */
function race(number: number, plant: Plant, callers: number): Command {
  const call = createCall(number, plant);
  return {
    check: ({ plants, retired, run }) => !plants.has(toId(number, run)) && !retired.has(toId(number, run)),
    toString: () => `race(${call.label}, ${callers} callers)`,
    async run(model, stores) {
      const request = call.compose(model.run);
      for (const target of stores.targets) {
        stores.counts.requests += callers;
        const seen = await Promise.all(Array.from({ length: callers }, () => target.send(request, 'main')));
        const created = seen.filter(({ replayed }) => !replayed).length;
        if (created !== 1 || seen.some(({ status }) => status !== 200))
          throw new Error(
            `${target.name}: ${request.body} from ${callers} callers led to ${JSON.stringify(seen)}`,
          );
      }
      call.apply(model);
    },
  };
}

/**
 * A request during which all stores are restarted. Where a reply came it must hold; where none came the request may have been
 * carried out, or not, and is sent again, as callers do.
 */
function interrupt(call: Call, interruption: Interruption): Command {
  return {
    check: always,
    toString: () => `interrupt(${call.label}, ${JSON.stringify(interruption)})`,
    async run(model, { targets, counts }) {
      const request = call.compose(model.run);
      const first = call.apply(model);
      const again = call.apply(copyModel(model));
      const seen = await Promise.all(targets.map((target) => target.interrupt(request, interruption)));
      counts.interrupted += targets.length;
      for (const [index, target] of targets.entries()) {
        const observation = seen[index];
        if (observation === undefined) {
          counts.withoutReply++;
          requireExpected(target.name, request, await target.send(request, 'main'), [first, again]);
        } else requireExpected(target.name, request, observation, [first]);
      }
    },
  };
}

/** A list, as far as some pages go. */
function list(query: ListQuery): Command {
  return {
    check: always,
    toString: () => `list(${JSON.stringify(query)})`,
    run: (model, stores) => requireListed(model, stores, query),
  };
}

/** A request that is not valid. */
function reject(name: Parameters<typeof expectError>[0], request: Request): Command {
  return {
    check: always,
    toString: () => `reject(${name}, ${JSON.stringify(request).slice(0, 100)})`,
    run: (_model, stores) => sendToAll(stores, request, 'main', expectError(name)),
  };
}

const withoutToken: Command = {
  check: always,
  toString: () => 'withoutToken',
  run: (_model, stores) =>
    sendToAll(stores, post('/plants', '{"id":1,"name":"a"}'), undefined, expectError('missing_token')),
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
    async run(model, { targets }) {
      await Promise.all(targets.map((target) => target.issueToken(toName(token, model))));
      model.tokens.set(token, true);
    },
  };
}

function revoke(token: number): Command {
  return {
    check: ({ tokens }) => tokens.get(token) === true,
    toString: () => `revoke(token ${token})`,
    async run(model, { targets, counts }) {
      const ms = await Promise.all(targets.map((target) => target.revokeToken(toName(token, model))));
      counts.slowestRevocationMs = Math.max(counts.slowestRevocationMs, ...ms);
      counts.revocations++;
      model.tokens.set(token, false);
    },
  };
}

/** A token that expires by itself. */
function expire(token: number): Command {
  return {
    check: ({ tokens }) => !tokens.has(token),
    toString: () => `expire(token ${token})`,
    async run(model, { targets }) {
      await Promise.all(targets.map((target) => target.expireToken(toName(token, model))));
      model.tokens.set(token, false);
    },
  };
}

function toName(token: number | undefined, { run }: PlantModel): string {
  return token === undefined ? 'main' : `run-${run}-${token}`;
}

function post(path: string, body: string): Request {
  return { method: 'POST', path, body };
}

const number = fc.nat(idsOfRun - 1);
const token = fc.nat(2);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'á', 'á', '🌱', '"\\/\n\u2028'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
// All but the one character that names may not have.
const validText = text.map((value) => value.replaceAll('\0', ''));
const plant = plantWith(validText);
const item: fc.Arbitrary<Item> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(number, plant) },
  { weight: 1, arbitrary: fc.constantFrom('{}', 'null', '{"id":1.5,"name":"a"}') },
);

/** The calls of each operation, but for the list, which takes several. */
const calls = {
  createPlant: fc.tuple(number, plant).map((args) => createCall(...args)),
  createPlants: fc.array(item, { minLength: 1, maxLength: 6, size: 'max' }).map(createManyCall),
  deletePlant: number.map(removeCall),
  getPlant: number.map(showCall),
} satisfies Record<Exclude<keyof typeof routes, 'listPlants'>, fc.Arbitrary<Call>>;

const listQuery: fc.Arbitrary<ListQuery> = fc.record(
  {
    limit: fc.constantFrom(1, 2, 10, 100, 1_000),
    order: fc.constantFrom('id', 'newest'),
    q: validText,
    ...Object.fromEntries(plantFilters.map((name) => [name, validText])),
  },
  { requiredKeys: ['limit', 'order'] },
);

const rejected = fc.oneof(
  fc
    .constantFrom<[Parameters<typeof reject>[0], string]>(
      ['malformed_json', ''],
      ['malformed_json', '{"id":1,"name":"a"'],
      ['malformed_json', '{"id":1,"id":2,"name":"a"}'],
      ['malformed_json', '{"id":1,"name":"a","__proto__":1}'],
      ['invalid_plant', '{}'],
      ['invalid_plant', '{"id":"1","name":null,"tag":1}'],
      ['invalid_plant', '{"id":9223372036854775808,"name":"a"}'],
      ['invalid_plant', '{"id":1.5,"name":"\\ud800"}'],
      ['invalid_plant', '[]'],
    )
    .map(([name, body]) => reject(name, post('/plants', body))),
  fc
    .constantFrom<[Parameters<typeof reject>[0], string]>(
      ['malformed_json', '{"plants":[{"id":1,"name":"a","id":2}]}'],
      ['invalid_plant', '{"plants":[]}'],
      ['invalid_plant', '{"plants":{"id":1,"name":"a"}}'],
      ['invalid_plant', '[{"id":1,"name":"a"}]'],
      ['batch_too_large', `{"plants":[${'0,'.repeat(1_000)}0]}`],
    )
    .map(([name, body]) => reject(name, post('/plants/batch', body))),
  fc
    .tuple(
      fc.constantFrom('GET', 'DELETE'),
      fc.constantFrom<[Parameters<typeof reject>[0], string]>(
        ['bad_request', '01'],
        ['bad_request', 'batch'],
        ['bad_request', '9223372036854775808'],
        ['plant_not_found', '1'],
      ),
    )
    .map(([method, [name, id]]) => reject(name, { method, path: `/plants/${id}` })),
  fc
    .constantFrom('limit=0', 'order=name', 'q=%00', 'after=1.a..1')
    .map((query) => reject('bad_request', { method: 'GET', path: `/plants?${query}` })),
);

const common = [
  fc.tuple(calls.createPlant, fc.option(token, { nil: undefined, freq: 3 })).map((args) => send(...args)),
  ...Object.values(calls).map((call) => call.map((value) => send(value))),
  number.map(replay),
  fc.tuple(number, plant, fc.integer({ min: 2, max: 6 })).map((args) => race(...args)),
  listQuery.map(list),
  rejected,
  fc.constant(withoutToken),
];

const interruption: fc.Arbitrary<Interruption> = fc.record({
  signal: fc.constantFrom('SIGKILL', 'SIGTERM'),
  delayMs: fc.nat(15),
});

const rare = [
  fc.constantFrom<NodeJS.Signals>('SIGKILL', 'SIGTERM').map(restart),
  fc.tuple(fc.oneof(...Object.values(calls)), interruption).map((args) => interrupt(...args)),
  token.map(issue),
  token.map(revoke),
  token.map(expire),
];

/** Sequences of commands, in which those that start processes are rare. */
export const sequences: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [...common, ...common, ...common, ...common, ...rare],
  { maxCommands: 40, size: 'max' },
);
