import { describe, expect, it } from 'vitest';
import { Int64ParameterSchema } from './int64-parameter-schema.js';

describe('Int64ParameterSchema', () => {
  it.each(['0', '7', '-7', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'takes %s and gives the same as a bigint',
    (text) => {
      expect(Int64ParameterSchema.parse(text)).toBe(BigInt(text));
    },
  );

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '',
    ' 1',
    '1 ',
    '+1',
    '-0',
    '01',
    '1.0',
    '1e2',
    '0x1',
    '1n',
    '١',
    ['1'],
    null,
  ])('rejects %o', (value) => {
    expect(Int64ParameterSchema.safeParse(value).error?.issues.map(({ message }) => message)).toEqual([
      'must be an integer from -9223372036854775808 to 9223372036854775807',
    ]);
  });

  it('rejects a very long integer', () => {
    expect(Int64ParameterSchema.safeParse('9'.repeat(100_000)).success).toBe(false);
  });

  it('reports a missing integer as required', () => {
    expect(Int64ParameterSchema.safeParse(undefined).error?.issues[0]?.message).toBe('is required');
  });
});
