import { type Case, testFakeConformance } from '../support/fake-conformance.js';

const shapes: Case[] = [
  ...['null', '[]', '"x"', '7', 'true'].map((body): Case => [`${body}`, 'invalid_plant', { body }]),
  ['an empty object', 'invalid_plant', { body: '{}' }],
  ['no id', 'invalid_plant', { body: '{"name":"n"}' }],
  ['no name', 'invalid_plant', { body: '{"id":1}' }],
  ['an issue in every field', 'invalid_plant', { body: '{"id":"1","name":null,"tag":7}' }],
  ...[
    '"1"',
    '1.5',
    '1e-1',
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    'null',
    'true',
    '{}',
  ].map((id): Case => [`the id ${id}`, 'invalid_plant', { body: `{"id":${id},"name":"n"}` }]),
  ...[
    'null',
    '7',
    '9223372036854775807',
    '[]',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud83e"',
    '"\\udeb4\\ud83e"',
    '"\\u0000\\ud83e"',
  ].flatMap((text): Case[] => [
    [`the name ${text}`, 'invalid_plant', { body: `{"id":1,"name":${text}}` }],
    [`the tag ${text}`, 'invalid_plant', { body: `{"id":1,"name":"n","tag":${text}}` }],
  ]),
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '0',
    '-0',
    '-1',
    '20.0',
    '1e2',
    '9.223372036854775806e18',
  ].map((id): Case => [`the id ${id}`, 200, { body: `{"id":${id},"name":"n"}` }]),
  ['empty texts', 200, { body: '{"id":30,"name":"","tag":""}' }],
  [
    'texts that are stored exactly',
    200,
    { body: '{"id":31,"tag":"\\u2028\\ud83e\\udeb4","name":" e\\u0301\\t\\"/\\u007f "}' },
  ],
  ['unknown fields', 200, { body: '{"id":32,"name":"n","height":1e400,"error":1}' }],
];

const retries: Case[] = [
  [
    'the same plant',
    200,
    { after: '{"id":40,"name":"n","tag":"t"}', body: '{"tag":"t","name":"n","id":4e1}' },
  ],
  ['the same plant without a tag', 200, { after: '{"id":41,"name":"n"}', body: '{"id":41,"name":"n"}' }],
  ['another name', 'id_taken', { after: '{"id":42,"name":"n"}', body: '{"id":42,"name":"N"}' }],
  [
    'another tag',
    'id_taken',
    { after: '{"id":43,"name":"n","tag":"t"}', body: '{"id":43,"name":"n","tag":"T"}' },
  ],
  [
    'a tag where there was none',
    'id_taken',
    { after: '{"id":44,"name":"n"}', body: '{"id":44,"name":"n","tag":""}' },
  ],
  [
    'no tag where there was one',
    'id_taken',
    { after: '{"id":45,"name":"n","tag":""}', body: '{"id":45,"name":"n"}' },
  ],
  [
    'another form of the same text',
    'id_taken',
    { after: '{"id":46,"name":"é"}', body: '{"id":46,"name":"e\\u0301"}' },
  ],
  [
    'the largest id',
    'id_taken',
    { after: '{"id":9223372036854775805,"name":"n"}', body: '{"id":9223372036854775805,"name":"m"}' },
  ],
  [
    'an adjacent id',
    200,
    { after: '{"id":9223372036854775804,"name":"n"}', body: '{"id":9223372036854775803,"name":"m"}' },
  ],
];

testFakeConformance({ shape: shapes, retry: retries }, 20);
