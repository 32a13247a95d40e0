import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { serviceIn } from './targets/plant-store.js';
import type { Target } from './targets/target.js';

/** A count from 1 to 9999. */
export function toCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected an integer from 1 to 9999.');
  return Number(text);
}

/** Counts, separated by commas. */
export function toCounts(text: string): number[] {
  return text.split(',').map(toCount);
}

/** A number of plants. */
export function toSize(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('Expected an integer from 0 to 99999999.');
  return Number(text);
}

/** Numbers of plants, separated by commas. */
export function toSizes(text: string): number[] {
  return text.split(',').map(toSize);
}

/** A number of seconds. */
export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 600))
    throw new InvalidArgumentError('Expected a number of seconds, at most 600.');
  return seconds;
}

/** A part of a core. */
export function toShare(text: string): number {
  const share = Number(text);
  if (!(share >= 0.01 && share <= 1)) throw new InvalidArgumentError('Expected a number from 0.01 to 1.');
  return share;
}

/** Some of these names, separated by commas, in the order of the tables. */
export function toNames(text: string, known: readonly string[]): string[] {
  const names = text.split(',');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`Unknown name ${unknown}.`);
  return known.filter((name) => names.includes(name));
}

/** Targets by their names, separated by commas, in the order of the tables. */
export function toTargets(text: string, targets: readonly Target[]): Target[] {
  const names = toNames(
    text,
    targets.map(({ name }) => name),
  );
  return targets.filter(({ name }) => names.includes(name));
}

/** The folder of a checkout in which the service is built. */
export function toCheckout(text: string): string {
  const folder = resolve(text);
  if (!existsSync(serviceIn(folder))) throw new InvalidArgumentError(`${serviceIn(folder)} does not exist.`);
  return folder;
}
