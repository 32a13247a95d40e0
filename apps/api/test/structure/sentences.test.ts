import { expect, it } from 'vitest';
import { catalog, listSentences, printCatalog } from '../../../../.ci/list-sentences.js';
import { readPage } from '../support/read-markdown.js';

const sentences = listSentences();

it('prints what people read on the page', () => {
  expect(
    readPage(catalog) === printCatalog(sentences),
    `${catalog} is out of date: run \`pnpm exec node .ci/list-sentences.ts --write\``,
  ).toBe(true);
});

it.each([
  ['page', 'Every plant, in one list'],
  ['page', '{count} selected'],
  ['page', '{Leave out|Include}'],
  ['errors', 'Too many requests. Try again in {seconds} seconds.'],
  ['commands', 'There are no tokens. Issue one with: {commandName} token create --name NAME'],
  ['log', 'access token changed'],
  ['alerts', 'Free up disk space. The troubleshooting page lists the files that you may delete.'],
  ['openapi', 'Create plant'],
  ['packages', 'Backup of Plant Store'],
])('finds in the area %s: %s', (area, sentence) => {
  expect(sentences.filter(({ text }) => text === sentence).map((found) => found.area)).toContain(area);
});
