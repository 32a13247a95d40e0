import { expect, it } from 'vitest';
import { describeCall } from './describe-call.js';

const call = { id: '9007199254740993', name: 'rounded' };
const notWritten = 'TypeError: Do not know how to serialize a BigInt';

it('compares the stored id with the one that was to be sent', () => {
  expect(describeCall({ ...call, body: {} }, ['{"id":9007199254740993,"name":"rounded"}'])).toBe('exact');
  expect(describeCall({ ...call, body: {} }, ['{"id":9007199254740992,"name":"rounded"}'])).toBe(
    '**stored as 9007199254740992**',
  );
  expect(describeCall({ ...call, body: { error: 40002 } }, [])).toBe('rejected: 40002');
  expect(() => describeCall({ ...call, body: {} }, [])).toThrow('rounded is not stored');
});

it('takes only a bigint that cannot be written for a call that sent nothing', () => {
  expect(describeCall({ ...call, thrown: notWritten }, [])).toBe('nothing sent: TypeError');
  expect(() => describeCall({ ...call, thrown: 'TypeError: fetch failed' }, [])).toThrow(
    'TypeError: fetch failed',
  );
  expect(() => describeCall({ ...call, thrown: notWritten }, ['{"id":1,"name":"rounded"}'])).toThrow(
    notWritten,
  );
});
