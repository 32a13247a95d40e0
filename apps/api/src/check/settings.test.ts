import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { type Environment, findMisspelled, settings } from './settings.js';

const folder = '/srv';
const inspect = (environment: Environment) =>
  settings.inspect({ config: parseConfig(environment, folder), environment, folder });

it('shows the settings that make a difference', () => {
  expect(inspect({})).toEqual([{ status: 'ok', found: 'valid, all defaults' }]);
  const environment = {
    PORT: '3000',
    HOST: '0.0.0.0',
    ADMIN_HOST: '10.0.0.1',
    LOG_LEVEL: '',
    BODY_MAX_BYTES: '99',
    BODY_MEMORY_MAX_BYTES: '198',
    UNRELATED: 'x',
  };
  expect(inspect(environment)).toEqual([
    { status: 'ok', found: 'valid, HOST=0.0.0.0, BODY_MAX_BYTES=99, BODY_MEMORY_MAX_BYTES=198' },
  ]);
});

it('shows a setting by the former name that it has', () => {
  expect(inspect({ BODIES_MAX_BYTES: '3000000' })).toEqual([
    { status: 'ok', found: 'valid, BODIES_MAX_BYTES=3000000' },
  ]);
});

it('hides the password of the database', () => {
  expect(inspect({ DATABASE_URL: 'postgresql://shop:se%2Fcret@db/plants?sslmode=require' })).toEqual([
    { status: 'ok', found: 'valid, DATABASE_URL=postgresql://shop:***@db/plants?sslmode=require' },
  ]);
});

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['admin_port', 'ADMIN_PORT'],
  ['FAST_PAHT', 'FAST_PATH'],
  ['QUEUE_MAX_BITES', 'QUEUE_MAX_BYTES'],
])('warns that %s is ignored', (name, meant) => {
  expect(findMisspelled({ [name]: 'x' })).toEqual([
    { status: 'warning', found: `${name} is set, and ignored`, advice: `If ${meant} is meant, rename it.` },
  ]);
});

it('does not warn of other variables', () => {
  expect(findMisspelled({ PATH: '', PORTS: '', HOSTNAME: '', DATABASE_NAME: '', LOG_LEVEL: 'info' })).toEqual(
    [],
  );
});
