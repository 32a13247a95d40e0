import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAccessTokenFormat } from '@plant-store/contract/access-token';
import { expect, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { readPage } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const page = readPage('docs/operate/secret-scanning.md');
const gitleaks = readPage('deploy/secret-scanning/gitleaks.toml');

/** The examples of the page, and whether they are tokens. */
const examples = [...page.matchAll(/^\| `(pst_\w+)` \| (yes|no)/gm)].map(([, text = '', isToken]) => ({
  text,
  isToken: isToken === 'yes',
}));
const tokens = Array.from({ length: 100 }, generateAccessToken);

/** The value of a key in the rule of gitleaks, between triple quotes. */
const readRule = (key: string) => new RegExp(`^${key} = \\[?'''(.*)'''`, 'm').exec(gitleaks)?.[1] ?? '';
/** The value of a field of GitHub's custom pattern. */
const readField = (name: string) => new RegExp(`^\\| ${name} \\| \`(.*)\` \\|$`, 'm').exec(page)?.[1] ?? '';

it('the documented check of the checksum, and the examples, agree with the service', () => {
  const [, code = ''] = /```js\n([\s\S]+?)```/.exec(page) ?? [];
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'check.mjs'), code);
  const script = `import { isAccessToken } from './check.mjs';
    console.log(JSON.stringify(JSON.parse(process.argv[1]).map(isAccessToken)))`;
  const texts = [...tokens, ...tokens.map((token) => `${token}0`), ...examples.map(({ text }) => text)];
  const args = ['--input-type=module', '-e', script, JSON.stringify(texts)];
  const output = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual(texts.map(isAccessTokenFormat));
  expect(examples.filter(({ isToken }) => isToken).length).toBeGreaterThan(1);
  for (const { text, isToken } of examples)
    expect([text, isAccessTokenFormat(text)]).toEqual([text, isToken]);
});

it.each([
  { scanner: 'gitleaks', regex: readRule('regex') },
  { scanner: 'GitHub', regex: `(${readField('Secret format')})(?:$|[^0-9A-Za-z])` },
])(
  'the rule for $scanner finds each token, wherever it stands, and no longer or shorter text',
  ({ regex }) => {
    const find = (text: string) => [...text.matchAll(new RegExp(regex, 'g'))].map(([, secret]) => secret);
    for (const token of tokens) {
      for (const text of [
        token,
        `Authorization: Bearer ${token}\r\n`,
        `{"token":"${token}"}`,
        `PLANT_STORE_TOKEN=${token}\n`,
        `https://shop.example/?token=${token}&page=1`,
      ])
        expect(find(text)).toEqual([token]);
      expect(find(`${token}0`)).toEqual([]);
      expect(find(token.slice(0, -1))).toEqual([]);
    }
    expect(find(tokens.join(','))).toEqual(tokens);
  },
);

it.each([
  { scanner: 'gitleaks', regex: readRule('regexes') },
  { scanner: 'GitHub', regex: readField('Secret must not match') },
])('the rule for $scanner leaves out the documented examples, and nothing else', ({ regex }) => {
  expect(regex).not.toBe('');
  expect(examples.filter(({ text }) => !new RegExp(regex).test(text))).toEqual([]);
  expect(tokens.filter((token) => new RegExp(regex).test(token))).toEqual([]);
});
