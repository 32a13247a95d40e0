import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { exposure } from './exposure.js';

it.each([
  ['127.0.0.1', 'ok'],
  ['127.1.2.3', 'ok'],
  ['::1', 'ok'],
  ['localhost', 'ok'],
  ['0.0.0.0', 'warning'],
  ['::', 'warning'],
  ['plants.example.com', 'warning'],
])('knows whether other machines reach %s: %s', (host, status) => {
  expect(exposure.inspect({ config: parseConfig({ HOST: host }, '/') })).toMatchObject([{ status }]);
});

it('warns of an admin port that other machines reach', () => {
  const config = parseConfig({ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' }, '/');
  expect(exposure.inspect({ config })).toMatchObject([
    { status: 'ok' },
    { status: 'warning', found: expect.stringContaining('ADMIN_HOST 0.0.0.0') },
  ]);
});
