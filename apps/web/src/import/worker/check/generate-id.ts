import type { Texts } from '../../../shared/fields.js';

/**
 * Generates an ID for a line without one: a positive number below 2^53, which every program reads exactly. The same file always gives the
 * same IDs, so importing it again adds no duplicates.
 *
 * @param fileName `undefined` for a pasted text
 */
export function generateId(fileName: string | undefined, line: number, texts: Omit<Texts, 'id'>): number {
  // The hash includes name and tag even if empty, but newer fields only if not empty, so that earlier IDs stay the same.
  const { name, tag, ...others } = texts;
  const added = Object.entries<string>(others).filter(([, text]) => text !== '');
  return hash(JSON.stringify([fileName ?? null, line, name, tag, ...added])) || 1;
}

/** A 53-bit hash: one in 20,000 files with a million lines has a collision. */
function hash(text: string): number {
  let first = 0x243f6a88;
  let second = 0x85a308d3;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(rotate(first ^ unit, 5), 0x9e3779b1);
    second = Math.imul(rotate(second ^ unit, 13), 0x85ebca77);
  }
  // After this, each bit of the result depends on all bits of both numbers.
  first = mix(first ^ mix(second));
  second = mix(second ^ first);
  return (first >>> 11) * 2 ** 32 + (second >>> 0);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The last step of MurmurHash3, which is in the public domain. */
function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
