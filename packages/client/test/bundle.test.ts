import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contract } from '@plant-store/contract';
import { initContract } from '@ts-rest/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../scripts/bundle.js';
import { initContract as initBundled } from '../scripts/ts-rest.js';

const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.bundled-'));
beforeAll(() => bundle(folder));
afterAll(() => rmSync(folder, { recursive: true }));

it('has zod once, for tests and for validation, and no other code of others', () => {
  const files = globSync('**/*.js', { cwd: folder });
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  const withPackages = files.filter((file) => textOf(file).includes('/node_modules/'));
  expect(withPackages).toEqual(['schemas.js']);
  const packages = textOf('schemas.js').matchAll(/^\/\/ .*\/node_modules\/((?:@[^/]+\/)?[^/]+)/gm);
  expect(new Set([...packages].map(([, name]) => name))).toEqual(new Set(['zod']));
  const importers = files.filter((file) => textOf(file).includes('/schemas.js"')).sort();
  expect(importers).toEqual(['testing/index.js', 'validate.js']);
});

it('has the responses that ts-rest gives the operations', () => {
  const { createPlant } = contract;
  const endpoints = { createPlant: { ...createPlant, responses: { 200: createPlant.responses[200] } } };
  const options = { commonResponses: { 401: createPlant.responses[401] } };
  const theirs = initContract().router(endpoints, options);
  const ours = initBundled().router(endpoints, options);
  expect(ours['createPlant']?.responses).toEqual(theirs.createPlant.responses);
});

it('validates replies of a common status, and without a body', async () => {
  const { validateReply }: typeof import('../src/validate.js') = await import(
    /* @vite-ignore */ `${pathToFileURL(folder)}/validate.js`
  );
  validateReply('getPlant', { status: 304, body: undefined });
  validateReply('getPlant', { status: 401, body: { error: 40100, message: 'No.' } });
  expect(() => validateReply('getPlant', { status: 401, body: {} })).toThrow('body.error is required');
});
