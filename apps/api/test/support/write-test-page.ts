import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePage } from '../../scripts/page/write-page.js';
import { temporaryFolder } from './temporary-folder.js';

/** The files of a small page in place of that of apps/web, which tests of the sources do not build, by their paths. */
export const testPage = {
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Plant Store</title>
    <link rel="icon" href="./icon.svg">
    <link rel="stylesheet" href="./assets/index-C_NqZPfo.css">
    <script type="module" src="./assets/index-BjGIhLHV.js"></script>
  </head>
  <body></body>
</html>
`,
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>\n',
  'assets/index-C_NqZPfo.css': 'body, main, h1, h2, h3 { margin: 0; padding: 0 }\n'.repeat(4),
  'assets/index-BjGIhLHV.js': "document.body.append('Monstera deliciosa');\n".repeat(20),
  'assets/index-BjGIhLHV.js.map': '{}',
} as const;

/** Writes it as a build does, and returns its folder. */
export function writeTestPage(files: Readonly<Record<string, string>> = testPage): string {
  const parent = temporaryFolder();
  const [source, folder] = [join(parent, 'source'), join(parent, 'page')];
  mkdirSync(join(source, 'assets'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(source, name), content);
  writePage(source, folder);
  return folder;
}
