import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';
import { beforeAll, describe, expect, it, vi } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Sources that see what strangers send. The others see what the operator sets, or has stored. */
const sources = globSync(['apps/api/src/**/*.{js,ts}', 'packages/{contract,records}/src/**/*.ts'], {
  cwd: root,
  exclude: [
    '**/*.test.ts',
    '**/*.test-d.ts',
    '**/*.d.ts',
    'apps/api/src/{check,cli}/**',
    'apps/api/src/{config,auth/jwt-settings,observe/otlp-settings}.ts',
    'apps/api/src/store/{database-location,file-kind,migrations,sqlite/describe-store}.ts',
  ],
}).sort();

/** Expressions that are not examined, and why. */
const exceptions: Readonly<Record<string, string>> = {
  '/(?<![\\w-])[\\w-]+\\.eyJ[\\w-]+(\\.[\\w-]*)?/g': 'looks behind, so that each character is tried once',
  '/^(?!ff)([\\da-f]{2})-(?!0{32})([\\da-f]{32})-(?!0{16})([\\da-f]{16})-[\\da-f]{2}(-.*)?$/':
    'looks ahead a constant number of characters',
};

/** Sources that build expressions from texts, which are not examined here, and of what. */
const builders = {
  'apps/api/src/auth/token-service.ts': 'a constant prefix and one repeated class',
  'packages/contract/src/access-token.ts':
    'a constant prefix and one class, repeated a constant number of times',
  'packages/contract/src/escape-invisible.ts': 'literals, of which those that repeat are examined',
  'packages/contract/src/request-target.ts': 'the paths of the operations, one class for each parameter',
};

const expressions: { file: string; expression: string; pattern: string; flags: string }[] = [];
const filesThatBuild = new Set<string>();
for (const file of sources) {
  const { program, errors } = parseSync(file, readFileSync(`${root}/${file}`, 'utf8'));
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  new Visitor({
    Literal(node) {
      if ('regex' in node) expressions.push({ file, expression: node.raw ?? '', ...node.regex });
    },
    Identifier({ name }) {
      if (name === 'RegExp') filesThatBuild.add(file);
    },
  }).visit(program);
}

describe('a regular expression takes time that is linear in the length of a text', () => {
  // It decides by an automaton, which does not know look-arounds. Without this, recheck starts a program or a JVM where it finds one.
  beforeAll(() => void vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure'));

  const examined = expressions.filter(({ expression }) => !(expression in exceptions));
  it.each(examined)('$expression in $file', { timeout: 300_000 }, ({ pattern, flags }) => {
    const { status, ...details } = checkSync(pattern, flags, { checker: 'automaton', timeout: 250_000 });
    expect(status, JSON.stringify(details, undefined, 2).slice(0, 2_000)).toBe('safe');
  });

  it('and these are found', () => {
    expect(examined.length).toBeGreaterThan(50);
    expect(expressions).toHaveLength(examined.length + Object.keys(exceptions).length);
  });
});

it('expressions are built from texts only where it is known of which', () => {
  expect([...filesThatBuild]).toEqual(Object.keys(builders));
});
