import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { root } from './folders.js';

/** The pages for those who call the service or run it, by their paths relative to the root of the repository. */
export function listOperatorPages(): string[] {
  return [
    'CHANGELOG.md',
    'docs/SECURITY.md',
    ...globSync('docs/{operate,use}/*.md', { cwd: root }).toSorted(),
  ];
}

/**
 * Reads a page for the release: links to what is not in there become their text, and pictures, none of which are in there,
 * are left out.
 *
 * @param page its path relative to the root
 * @param has whether the release has the file at a path relative to its root
 */
export function readOperatorPage(page: string, has: (path: string) => boolean): string {
  let isCode = false;
  return (
    readPage(page)
      .split('\n')
      .map((line) => {
        if (/^\s*```/.test(line)) isCode = !isCode;
        return isCode ? line : line.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, keepLink);
      })
      .join('\n')
      // A link may be broken over two lines.
      .replaceAll(/(!?)\[([^\]`]*\n[^\]`]*)\]\(([^)\s]+)\)/g, keepLink)
  );

  function keepLink(link: string, mark: string, text: string, target: string): string {
    const [path = ''] = target.split('#');
    const isKept = path === '' || /^[a-z]+:/.test(path) || has(posix.join(posix.dirname(page), path));
    if (isKept) return link;
    return mark === '' ? text : '';
  }
}

/** The README of the release: what it is, how to run it, and its pages by their titles. */
export function renderReadme({
  version,
  commit,
}: {
  readonly version: string;
  readonly commit: string;
}): string {
  const pages = listOperatorPages().map((page) => {
    const [, title = page] = /^# (.+)$/m.exec(readPage(page)) ?? [];
    return `- [${title}](${page})`;
  });
  return `# Plant Store ${version}

Commit \`${commit}\`. The service and its command line, \`plant-store\`, for Node.js 22.14 or later on Linux, x64 or arm64,
with glibc or musl. Nothing is installed or compiled, and nothing in this folder is ever written.

\`\`\`sh
node dist/main.js --help
DATABASE_URL=file:/var/lib/plant-store/plant-store.db node dist/main.js serve
\`\`\`

${pages.join('\n')}

Configurations for systemd, load balancers and monitoring are in [deploy](deploy). [LICENSE](LICENSE) is the license of Plant
Store, [THIRD_PARTY_LICENSES.txt](THIRD_PARTY_LICENSES.txt) has those of the packages in it, and
[sbom.cdx.json](sbom.cdx.json) lists these (CycloneDX).
`;
}

function readPage(page: string): string {
  return readFileSync(`${root}/${page}`, 'utf8');
}
