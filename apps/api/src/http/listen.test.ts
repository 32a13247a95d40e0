import { expect, it } from 'vitest';
import { OperatorError } from '../errors/operator-error.js';
import { countAllowedConnections, readOpenFilesLimit } from './listen.js';

it('reserves what the process, the admin port, and the database need', () => {
  expect(countAllowedConnections(1_024, 0)).toBe(960);
  expect(countAllowedConnections(1_024, 64 + 10)).toBe(886);
  expect(countAllowedConnections(Number.POSITIVE_INFINITY, 0)).toBe(Number.POSITIVE_INFINITY);
});

it('accepts the lowest limit that the error names, and no lower one', () => {
  const other = 64 + 10;
  expect(countAllowedConnections(154, other)).toBe(16);
  expect(() => countAllowedConnections(153, other)).toThrow(OperatorError);
  expect(() => countAllowedConnections(153, other)).toThrow(/153 files but needs at least 154.+LimitNOFILE/);
});

it('reads the limit of this process', () => {
  expect(readOpenFilesLimit()).toBeGreaterThan(16);
});
