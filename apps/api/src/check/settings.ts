import { isDeepStrictEqual } from 'node:util';
import { type Config, environmentVariables, formerNames, parseConfig } from '../config.js';
import { type Item, ok, type Result, warning } from './finding.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the configuration was parsed from, and it. */
export interface Settings {
  readonly config: Config;
  readonly environment: Environment;
  /** The working folder. */
  readonly folder: string;
}

/** The settings that differ from the defaults, and variables that look like a misspelled setting. */
export const settings: Item<Settings> = {
  name: 'configuration',
  inspect({ config, environment, folder }) {
    // Without a variable another one may be invalid: then it is no default either.
    const isDefault = (name: string) => {
      try {
        return isDeepStrictEqual(parseConfig({ ...environment, [name]: undefined }, folder), config);
      } catch {
        return false;
      }
    };
    const effective = [...environmentVariables, ...Object.keys(formerNames)]
      .filter((name) => environment[name] && !isDefault(name))
      .map((name) => `${name}=${hidePassword(environment[name] ?? '')}`);
    const found = effective.length === 0 ? 'valid, all defaults' : `valid, ${effective.join(', ')}`;
    return [ok(found), ...findMisspelled(environment)];
  },
};

function hidePassword(value: string): string {
  const url = URL.parse(value);
  return url?.password ? Object.assign(url, { password: '***' }).href : value;
}

/** The shortest variable that is compared: shorter ones resemble many. */
const minLength = 8;

/** Warns of variables that the service ignores, though their names resemble settings. */
export function findMisspelled(environment: Environment): readonly Result[] {
  return Object.keys(environment)
    .filter(
      (name) => name.length >= minLength && !environmentVariables.includes(name) && !(name in formerNames),
    )
    .flatMap((name) => {
      const meant = environmentVariables.find(
        (known) => known.length >= minLength && isSimilar(fold(name), fold(known)),
      );
      return meant === undefined
        ? []
        : warning(`${name} is set, and ignored`, `If ${meant} is meant, rename it.`);
    });
}

function fold(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '');
}

/** Whether two texts are equal but for one character that is missing, added, or replaced, or two that are swapped. */
function isSimilar(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [a, b] = [one.slice(start), other.slice(start)];
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return a === b || a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isSwapped;
}
