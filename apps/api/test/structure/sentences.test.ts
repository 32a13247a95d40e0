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
