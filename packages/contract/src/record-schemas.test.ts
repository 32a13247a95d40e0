import { expect, it } from 'vitest';
import * as z from 'zod';
import { createDocument } from 'zod-openapi';
import { garden } from '../test/garden.js';
import { parseExactJson } from './exact-json/parse.js';
import { schemasOf } from './record-schemas.js';
import type { Resource } from './resource.js';

const orchard: Resource = { ...garden, name: 'orchard', plural: 'orchards' };
// The types of resources are printed only for those of the API.
const schemas = schemasOf(orchard as Resource<never>) as unknown as ReturnType<typeof schemasOf>;
const issuesOf = (name: keyof typeof schemas, value: unknown) =>
  schemas[name]
    .safeParse(value)
    .error?.issues.map(({ path, message }) => [...path, message].join(' '))
    .join('; ');

const json = `{"id":9007199254740993,"name":"East","area":-9007199254740993,"isOpen":false,
  "plantedAt":"2026-11-25T11:00:00.0009+01:00","plantIds":[9007199254740993,2],"other":[1]}`;
const record = {
  id: 9007199254740993n,
  name: 'East',
  area: -9007199254740993n,
  isOpen: false,
  plantedAt: '2026-11-25T10:00:00.000Z',
  plantIds: [9007199254740993n, 2n],
};

it('reads a value of each kind exactly, and shows it', () => {
  const { id, ...fields } = record;
  expect(schemas.create.parse(parseExactJson(json))).toStrictEqual(record);
  expect(schemas.fields.parse(parseExactJson(json))).toStrictEqual(fields);
  expect(schemas.shown.parse(fields)).toStrictEqual(fields);
  const stored = { id, idText: String(id), ...fields, addedAt: fields.plantedAt };
  expect(schemas.stored.parse(stored)).toStrictEqual(stored);
  expect(schemas.page.parse({ orchards: [stored] })).toStrictEqual({ orchards: [stored] });
  const change = { kind: 'created', id, idText: String(id), orchard: stored };
  expect(schemas.changePage.parse({ changes: [change], next: '1' })).toStrictEqual({
    changes: [change],
    next: '1',
  });
  expect(issuesOf('changePage', { changes: [{ ...change, orchard: undefined }], next: '1' })).toBe(
    'changes 0 orchard is required',
  );
});

it.each([
  ['name is required; isOpen is required; plantIds is required', { id: 1 }],
  [
    'area must be an integer from -9223372036854775808 to 9223372036854775807; isOpen must be true or false; ' +
      'plantedAt must be a time with a UTC offset, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00; ' +
      'plantIds must be a list of integers',
    { id: 1, name: '', area: 1.5, isOpen: 1, plantedAt: '2026-11-25', plantIds: 1 },
  ],
  [
    'plantIds 1 must be an integer, not a string (for a string, use idText)',
    { id: 1, name: '', isOpen: true, plantIds: [1, '2'] },
  ],
])('reports: %s', (issues, value) => {
  expect(issuesOf('create', value)).toBe(issues);
});

it('reads the filters of a query from texts, by their kinds', () => {
  const query = { area: '9007199254740993', isOpen: 'false', q: 'e' };
  expect(schemas.query.parse(query)).toEqual({ area: 9007199254740993n, isOpen: false, q: 'e' });
  expect(issuesOf('query', { area: '01', isOpen: 'yes' })).toBe(
    'area must be written as 1; isOpen must be true or false',
  );
  expect(issuesOf('query', { area: ['1', '2'], isOpen: null })).toBe(
    'area must appear only once; isOpen must be percent-encoded UTF-8',
  );
  expect(issuesOf('query', { name: 'East' })).toBe(
    'is unknown: this operation accepts only limit, after, order, area, isOpen, areas, isOpens, without, q, addedFrom, addedBefore, total, fields',
  );
});

it('a batch has the records under their plural', () => {
  expect(issuesOf('batch', { orchards: [] })).toBe('orchards must have at least one orchard');
  expect(issuesOf('batch', { orchards: 1 })).toBe('orchards must be a list of orchards');
});

it('is described by its own noun, in one component for each of its schemas', () => {
  const results = ['createResults', 'getResults', 'updateResults', 'deleteResults'];
  const replies = ['shown', 'stored', 'page', ...results, 'changePage'];
  const bodies = ['fields', 'create', 'batch', 'ids', 'update', 'updates', 'deletions'];
  const contentOf = (name: string) => ({
    content: { 'application/json': { schema: schemas[name as keyof typeof schemas] } },
  });
  const paths = [...replies, ...bodies].map((name) => [
    `/${name}/{id}`,
    {
      post: {
        requestParams: { query: schemas.query as never, path: z.object({ id: schemas.id }) },
        ...(bodies.includes(name) && { requestBody: contentOf(name) }),
        responses: { 200: replies.includes(name) ? { description: '', ...contentOf(name) } : {} },
      },
    },
  ]);
  const document = createDocument({
    openapi: '3.1.0',
    info: { title: '', version: '1' },
    paths: Object.fromEntries(paths),
  });
  const ofResults = ['Create', 'Delete', 'Get', 'Update'].flatMap((what) => [
    `${what}Result`,
    `${what}Results`,
  ]);
  const parts = [...',Change,ChangePage,Deletions,Ids,Input,Page,Update,Updates'.split(','), ...ofResults];
  const components = ['NewOrchard', 'NewOrchards', 'StoredOrchard', ...parts.map((part) => `Orchard${part}`)];
  expect(Object.keys(document.components?.schemas ?? {}).sort()).toEqual(components.sort());
  // Without an article, the noun of the first resource may be another word: records have an order, also where they are orders.
  expect(JSON.stringify(document)).not.toMatch(/\ba plant\b|\ba orchard/);
  // What only zod reads.
  expect(JSON.stringify(document)).not.toContain('"override"');
  expect(document.components?.schemas?.['NewOrchard']).toMatchObject({
    description: expect.stringContaining('`id`, `name`, `isOpen`, and `plantIds` are required'),
    examples: [expect.objectContaining({ id: 1, area: 9007199254740992, plantIds: [1, 2] })],
  });
  expect(document.components?.schemas?.['OrchardUpdate']).toMatchObject({
    description: expect.stringContaining('`id`, `name`, `isOpen`, `plantIds`, and `ifMatch` are required'),
    required: ['name', 'isOpen', 'plantIds', 'ifMatch'],
  });
});
