import { expect, it } from 'vitest';
import { findFailedCondition } from './conditions.js';

const tag = '"7Qz1t0cVbq0Zk2y1mYf3d-"';

it.each([
  ['none', {}, undefined],
  ['the tag', { 'if-match': tag }, undefined],
  ['another one', { 'if-match': '"x"' }, 'if-match'],
  ['none of several', { 'if-match': '"x", W/"y"' }, 'if-match'],
  ['any', { 'if-match': '*' }, undefined],
  ['not the tag', { 'if-none-match': tag }, 'if-none-match'],
  ['not another one', { 'if-none-match': '"x"' }, undefined],
  ['not any', { 'if-none-match': '*' }, 'if-none-match'],
  ['the tag, and not another one', { 'if-match': tag, 'if-none-match': '"x"' }, undefined],
  ['both false, the first of which counts', { 'if-match': '"x"', 'if-none-match': '*' }, 'if-match'],
])('finds the condition that is false: %s', (_, conditions, expected) => {
  expect(findFailedCondition(conditions, tag)).toBe(expected);
});

it('recognizes a tag as proxies change it, on its way out and back', () => {
  const changed = (suffix: string) => tag.replace(/"$/, `${suffix}"`);
  const suffixes = '-gzip -br -zstd -deflate --gzip ;gzip -gzip-br :dtagent10:dtagent10'.split(' ');
  const weak = [tag, changed('-gzip')].map((one) => `W/${one}`);
  for (const sent of [...suffixes.map(changed), ...weak])
    expect([sent, findFailedCondition({ 'if-match': sent }, tag)]).toEqual([sent, undefined]);
  for (const other of [
    changed('gzip'),
    changed('0'),
    tag.replace('"', '"x'),
    tag.slice(1, -1),
    `"${tag.slice(2)}`,
  ])
    expect([other, findFailedCondition({ 'if-match': other }, tag)]).toEqual([other, 'if-match']);
});
