import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engines } from '../support/database/engines.js';
import { root } from '../support/read-markdown.js';

it('lists every engine that has migrations', () => {
  expect(engines.toSorted()).toEqual(readdirSync(join(root, 'apps/api/prisma')).toSorted());
});
