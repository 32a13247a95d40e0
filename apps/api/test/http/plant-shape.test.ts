import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

// Guards upgrades of zod and ts-rest: the messages of zod's issues are in replies.

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const idIssue = 'id must be an integer from -9223372036854775808 to 9223372036854775807';

describe('a plant that is rejected', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it.each([
    ['no id', '{"name":"n"}', 'id is required'],
    ['no name', '{"id":1}', 'name is required'],
    ['nothing', '{}', 'id is required; name is required'],
    ['only a tag', '{"tag":"t"}', 'id is required; name is required'],
    ['field names in another case', '{"ID":1,"Name":"n"}', 'id is required; name is required'],
    [
      'an issue in every field',
      '{"id":"1","name":null,"tag":7}',
      `${idIssue}; name must be a string; tag must be a string`,
    ],
    [
      'different issues',
      '{"name":"\\u0000","tag":"\\ud800"}',
      'id is required; name must not contain the character NUL (U+0000); tag must not contain an unpaired surrogate',
    ],
  ])('has %s', async (_, body, issues) => {
    expectError(await postPlant(service, body), 'invalid_plant', `The plant is not valid: ${issues}.`);
  });

  it.each([
    '"1"',
    '""',
    '1.5',
    '0.1',
    '-0.5',
    '1e-1',
    '9223372036854775808',
    '-9223372036854775809',
    '9223372036854775807.5',
    '9.223372036854775808e18',
    '18446744073709551616',
    '1e19',
    '1e400',
    '1e999999999999999999999',
    '1.00000000000000000000000000000000000001',
    '9'.repeat(400),
    `-${'9'.repeat(400)}`,
    'null',
    'true',
    '[]',
    '[1]',
    '{}',
    '{"text":"1"}',
  ])('has the id %s', async (id) => {
    expectError(await postPlant(service, `{"id":${id},"name":"n"}`), 'invalid_plant', `${idIssue}.`);
  });

  const texts = [
    ['null', 'must be a string'],
    ['7', 'must be a string'],
    ['1e400', 'must be a string'],
    ['9223372036854775807', 'must be a string'],
    ['true', 'must be a string'],
    ['[]', 'must be a string'],
    ['["n"]', 'must be a string'],
    ['{}', 'must be a string'],
    ['"\\u0000"', 'must not contain the character NUL (U+0000)'],
    ['"a\\u0000b"', 'must not contain the character NUL (U+0000)'],
    ['"\\ud83e"', 'must not contain an unpaired surrogate'],
    ['"\\udeb4"', 'must not contain an unpaired surrogate'],
    ['"\\udeb4\\ud83e"', 'must not contain an unpaired surrogate'],
    ['"a\\ud83eb"', 'must not contain an unpaired surrogate'],
  ] as const;
  it.each(texts)('has the name %s', async (name, issue) => {
    const reply = await postPlant(service, `{"id":1,"name":${name}}`);
    expectError(reply, 'invalid_plant', `The plant is not valid: name ${issue}.`);
  });
  it.each(texts)('has the tag %s', async (tag, issue) => {
    const reply = await postPlant(service, `{"id":1,"name":"n","tag":${tag}}`);
    expectError(reply, 'invalid_plant', `The plant is not valid: tag ${issue}.`);
  });
});

describe('a plant that is stored', () => {
  it.each([
    ['1', '1'],
    ['-1', '-1'],
    ['-0', '0'],
    ['2.0', '2'],
    ['1e2', '100'],
    ['1E+3', '1000'],
    ['1.25e2', '125'],
    ['1200e-2', '12'],
    [`13.${'0'.repeat(400)}`, '13'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775806', '9223372036854775806'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775807', '-9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9.223372036854775805e18', '9223372036854775805'],
  ])('has the id %s', async (id, storedId) => {
    const row = { id: storedId, name: `plant ${id}`, tag: null };
    await expectStored(service, postPlant(service, `{"id":${id},"name":"${row.name}"}`), row);
  });

  it('returns its name and tag, but neither its id nor unknown fields', async () => {
    const { text } = await postPlant(service, '{"x":1,"tag":"t","id":20,"name":"n","_id":2,"Name":"N"}');
    expect(text).toBe('{"name":"n","tag":"t"}');
    expect(await readPlants(service)).toContainEqual({ id: '20', name: 'n', tag: 't' });
  });

  it('has no tag, or an empty one', async () => {
    const absent = await postPlant(service, '{"id":21,"name":"n"}');
    const empty = await postPlant(service, '{"id":22,"name":"n","tag":""}');
    expect([absent.text, empty.text]).toEqual(['{"name":"n"}', '{"name":"n","tag":""}']);
    expect(await readPlants(service)).toContainEqual({ id: '21', name: 'n', tag: null });
    expect(await readPlants(service)).toContainEqual({ id: '22', name: 'n', tag: '' });
  });
});
