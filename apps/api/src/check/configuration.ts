import { isLoopback, type JwtSettings } from '../auth/jwt-settings.js';
import { fetchKeySet, findUsableKeys } from '../auth/provider-keys.js';
import { type Config, environmentVariables, formerNames } from '../config.js';
import { messageOf } from '../errors/operator-error.js';
import { docsPath } from '../package-folder.js';
import { type Finding, failure, inspect, ok, type Result, type Results, warning } from './finding.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly config: Config;
  readonly environment: Environment;
}

export async function* inspectConfiguration(settings: Settings): AsyncGenerator<Finding> {
  yield* inspect('configuration', () => inspectSettings(settings));
  yield* inspect('exposure', () => inspectExposure(settings));
  yield* inspect('identity provider', () => inspectIdentityProvider(settings));
}

/** Reports the settings, those that were not applied as specified, and variables that look like misspelled settings. */
export function inspectSettings({ config, environment }: Settings): Results {
  const ignored = config.warnings.map(({ variable, reason }) =>
    warning(`${variable} was not applied as specified`, reason),
  );
  const set = [...environmentVariables, ...Object.keys(formerNames)]
    .filter((name) => environment[name])
    .map((name) => `${name}=${name.endsWith('_HEADERS') ? '***' : hidePassword(environment[name] ?? '')}`);
  const found =
    set.length === 0 ? 'valid, with all settings at their defaults' : `valid, with ${set.join(', ')}`;
  return [ok(found), ...ignored, ...findMisspelled(environment)];
}

/**
 * Hides the password in a URI, even inside a pasted command. Also hides everything after `password=`, because it is unclear where that
 * value ends.
 */
function hidePassword(value: string): string {
  const start = value.indexOf(':', value.indexOf('://') + 3) + 1;
  const end = value.lastIndexOf('@');
  const isUri = value.includes('://') && start > 0 && start <= end;
  const shown = isUri ? `${value.slice(0, start)}***${value.slice(end)}` : value;
  return shown.replace(/(password|passwd|pwd)(\s*=).*$/is, '$1$2***');
}

/** Warns about variables that the service ignores although their names resemble settings. */
export function findMisspelled(environment: Environment): readonly Result[] {
  return Object.keys(environment)
    .filter((name) => !environmentVariables.includes(name) && !(name in formerNames))
    .flatMap((name) => {
      const meant = environmentVariables.filter((known) => isSimilar(fold(name), fold(known)));
      if (meant.length === 0)
        meant.push(...environmentVariables.filter((known) => hasSameTopic(name, known)));
      return meant.length === 0
        ? []
        : warning(`${name} is set but ignored`, `If you meant ${meant.join(' or ')}, rename the variable.`);
    });
}

function fold(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '');
}

/**
 * The minimum name length for tolerating other typos than swapped or doubled characters. Otherwise, PAGER, POST, and PORTS would match
 * settings.
 */
const minLength = 7;

/**
 * Whether two names are equal or differ by a single typo: two swapped characters, or a doubled one; in long names also a missing, added, or
 * replaced one.
 */
function isSimilar(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [a, b] = [one.slice(start), other.slice(start)];
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  const isDoubled = a.slice(1) === b && a !== '' && a[0] === one[start - 1];
  if (a === b || isSwapped || isDoubled) return true;
  if (other.length < minLength) return false;
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1);
}

/** Prefixes of variable names that other programs use or platforms set. */
const sharedTopic = /^(DATABASE_PASSWORD|JWT_|OTEL_)/;

/** Whether a variable starts with the first two words of a longer setting name, as RATE_LIMIT and DRAIN_DELAY_SECONDS do. */
function hasSameTopic(name: string, known: string): boolean {
  const [first, second, third] = known.split('_');
  if (third === undefined || sharedTopic.test(known)) return false;
  return `${name.toUpperCase()}_`.startsWith(`${first}_${second}_`);
}

export function inspectExposure({ config: { host, admin } }: { readonly config: Config }): Results {
  const exposure = isLoopback(host)
    ? ok(`the service accepts connections only from this machine (HOST is ${host})`)
    : warning(
        `the service accepts connections from other machines over plain HTTP (HOST is ${host}), so tokens cross the network in clear text`,
        `Allow connections only from a reverse proxy that terminates TLS, as ${docsPath('docs/operate/deploy.md')} describes.`,
      );
  if (admin === undefined || isLoopback(admin.host)) return [exposure];
  const adminExposure = warning(
    `the admin port exposes metrics to other machines without a token (ADMIN_HOST is ${admin.host})`,
    'Allow connections only from monitoring systems and load balancers, or set ADMIN_HOST to 127.0.0.1.',
  );
  return [exposure, adminExposure];
}

/** If JSON Web Tokens are accepted, checks whether they can be verified, and who can get one that permits creates. */
async function inspectIdentityProvider({ config: { jwt } }: Settings): Promise<Results> {
  if (jwt === undefined) return [];
  const keys = await inspectKeys(jwt);
  if (jwt.requiredScope !== undefined || jwt.withoutScopes.length === 0) return keys;
  const scope = warning(
    'every token that the provider issues for the audience can create records, even without a scope',
    'Set JWT_SCOPES, unless the provider controls who gets these tokens.',
  );
  return [keys, scope];
}

async function inspectKeys({ jwksUrl, algorithms, keyTimes }: JwtSettings): Promise<Result> {
  const outcome = await fetchKeySet(jwksUrl, AbortSignal.timeout(keyTimes.timeoutMs)).catch(messageOf);
  if (typeof outcome === 'string')
    return failure(
      outcome,
      "Check JWT_JWKS_URL, the network, and the provider. Without the provider's keys, JSON Web Tokens are rejected with 503.",
    );
  if (!Array.isArray(outcome?.keys))
    return failure(`${jwksUrl} did not return a key set`, 'Check JWT_JWKS_URL.');
  const usable = await findUsableKeys(outcome.keys, algorithms);
  const found = `${usable.length} of ${outcome.keys.length} keys work with ${algorithms.join(', ')}`;
  if (usable.length > 0) return ok(found);
  return failure(found, 'Set JWT_ALGORITHMS to the algorithms that the provider uses to sign access tokens.');
}
