import { expect, it } from 'vitest';
import { OperatorError } from '../errors/operator-error.js';
import { requireNodeVersion } from './require-node-version.js';

it.each(['22.14.0', '22.22.1', '24.0.0', '26.10.0', '100.0.0'])('runs on Node.js %s', (version) => {
  expect(() => requireNodeVersion(version)).not.toThrow();
});

it.each(['18.20.8', '20.20.2', '22.13.1'])('rejects Node.js %s, and says which one is needed', (version) => {
  expect(() => requireNodeVersion(version)).toThrow(OperatorError);
  expect(() => requireNodeVersion(version)).toThrow(
    `Node.js ${version} is too old: 22.14 or later is required.`,
  );
});
