// Lists the sentences and labels that people see, one on a line, with its place, by area:
//   pnpm exec node .ci/list-sentences.ts [page | errors | commands | log | alerts | openapi | packages]
// Those of the page are also in `catalog`, without places, so that it changes only with the words:
//   pnpm exec node .ci/list-sentences.ts --write
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');

/** The sentences of the page, which a test compares with the code. */
export const catalog = 'apps/web/sentences.txt';

type Area = 'page' | 'errors' | 'commands' | 'log' | 'alerts' | 'openapi' | 'packages';

interface Sentence {
  readonly area: Area;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Code with sentences, and their area unless the call around them says otherwise. */
const code: readonly (readonly [files: string, area: Area])[] = [
  ['apps/web/src/**/*.{ts,tsx}', 'page'],
  ['packages/contract/src/{exact-json/*,error-texts,messages,*schemas}.ts', 'errors'],
  ['packages/records/src/*.ts', 'errors'],
  ['apps/api/src/{auth,errors,http}/**/*.ts', 'errors'],
  ['apps/api/src/{*,{check,cli,cluster,observe,runtime,store}/**/*}.ts', 'commands'],
];

/** Files with one sentence per line. */
const lines: readonly (readonly [files: string, area: Area, sentence: RegExp])[] = [
  [
    'apps/web/index.html',
    'page',
    /<(?:meta name="description" content="|title>|noscript><p [^>]+>)(.+?)(?:">$|<\/(?:title|p)>)/,
  ],
  ['deploy/monitoring/alerts.yml', 'alerts', /^ +(?:summary|reason|action): (.+)$/],
  ['deploy/monitoring/grafana-dashboard.json', 'alerts', /"(?:title|description)": "(.+)"/],
  ['packages/contract/openapi.json', 'openapi', /"(?:summary|description)": "(.+)"/],
  ['deploy/*.{service,timer}', 'packages', /^Description=(.+)$/],
  ['apps/api/scripts/release/debian/*', 'packages', /^(?:Description:| (?=[A-Z])|\s*echo) ?["']?(.+?)["']?$/],
];

const areasOfCalls: ReadonlyMap<string, Area> = new Map([
  ['log', 'log'],
  ['ServiceError', 'errors'],
  ['OperatorError', 'commands'],
]);
/** Attributes and members that hold a label, even of one word. */
const labels = /^(aria-label|aria-description|alt|label|title|heading|placeholder|hint|message)$/;
const otherNodes = /^(Import|ExportAll|ExportSpecifier|TS(?!As|Satisfies|NonNull))/;
/** What holds code, or what the OpenAPI document shows. */
const otherMembers = /^(aria-\w+edby|className|style|d|media|accept|autoComplete|description|summary)$/;
const otherCalls = /^(querySelector(All)?|matches|closest|matchMedia|prepare|query|raw|sql|Error|TypeError)$/;
const otherTexts =
  /^(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA|BEGIN|SET|WHERE|FROM|[-."#<[(:@\\])|\w\(|<\w|\bNULLS?\b|\0/;
/** Elements that belong to the sentence around them. */
const inline = /^(a|b|bdi|code|em|kbd|mark|span|strong|time)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof Object(value).type === 'string';

const childrenOf = (node: Node): readonly Node[] =>
  /^JSX(Element|Fragment)$/.test(node.type) ? (node['children'] as readonly Node[]) : [];

/** The last part of a name, such as `count` of `plants.count`. */
function nameOf(node: unknown): string {
  const { type, property, name } = Object(node);
  if (type === 'MemberExpression') return nameOf(property);
  if (type === 'JSXOpeningElement') return nameOf(name);
  if (/^(JSX)?Identifier$/.test(type)) return name;
  return isLiteral(node) ? node.value : '';
}

/** Whether it is a string in quotes. */
const isLiteral = (node: unknown): node is Node & { readonly value: string } =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string';

/** Whether it is written as a text, at least in part. */
function isText(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'JSXExpressionContainer') return isText(node['expression']);
  if (node.type === 'ConditionalExpression') return isText(node['consequent']) || isText(node['alternate']);
  if (node.type === 'BinaryExpression')
    return node['operator'] === '+' && (isText(node['left']) || isText(node['right']));
  return node.type === 'JSXText'
    ? String(node['value']).trim() !== ''
    : isLiteral(node) || node.type === 'TemplateLiteral';
}

/**
 * The text of an expression: `{name}` for what only a run knows, `{this|that}` for a choice. It adds what it has used to `used`.
 */
function textOf(node: unknown, used: Set<unknown>): string {
  const of = (part: unknown) => textOf(part, used);
  if (!isNode(node) || node.type === 'JSXEmptyExpression' || node['value'] === null) return '';
  const { type } = node;
  const children = childrenOf(node);
  if (type === 'JSXElement' && !inline.test(nameOf(node['openingElement']))) {
    const name = nameOf(node['openingElement']);
    return /^[A-Z]/.test(name) && name !== 'Icon' && children.length === 0 ? `{${name}}` : ' ';
  }
  if (isText(node) || children.length > 0) used.add(node);
  if (children.length > 0) return children.map(of).join('');
  if (type === 'JSXText' || isLiteral(node)) return String(node['value']);
  if (type === 'JSXExpressionContainer') return of(node['expression']);
  if (type === 'TemplateLiteral') {
    const expressions = node['expressions'] as readonly Node[];
    const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    return quasis.map(({ value }, index) => `${value.cooked}${of(expressions[index])}`).join('');
  }
  if (isText(node) && type === 'BinaryExpression') return of(node['left']) + of(node['right']);
  if (isText(node) && type === 'ConditionalExpression') {
    const choices = [node['consequent'], node['alternate']].map(of);
    return `{${choices.map((each) => each.replace(/^\{(.*)\}$/, '$1')).join('|')}}`;
  }
  if (type === 'Identifier' && node['name'] === 'undefined') return '';
  // A call is named after what it formats.
  const [first] = (node['arguments'] ?? []) as readonly Node[];
  const named = [first, Object(node['callee']).object, node['callee'], node];
  const names = named.map((each) => (isLiteral(each) ? '' : nameOf(each)));
  return `{${names.find((name) => name !== '') ?? '…'}}`;
}

/** The sentences of one source file. */
function* readCode(path: string, areaOfFile: Area): Generator<Sentence> {
  const source = readFileSync(join(root, path), 'utf8');
  const used = new Set<unknown>();

  function* visit(value: unknown, area: Area, isLabel: boolean): Generator<Sentence> {
    if (Array.isArray(value)) for (const each of value) yield* visit(each, area, isLabel);
    if (!isNode(value) || used.has(value) || otherNodes.test(value.type)) return;
    const { type, callee } = value;
    const name = nameOf(callee ?? value['key'] ?? value['name']);
    if ((callee === undefined ? otherMembers : otherCalls).test(name)) return;
    const inside = areasOfCalls.get(name) ?? areasOfCalls.get(nameOf(Object(callee).object)) ?? area;
    const children = childrenOf(value);
    if ((children.some(isText) || isText(value)) && type !== 'ConditionalExpression') {
      const parts = (children.length > 0 ? children : [value]).map((each) => textOf(each, used));
      const text = parts.join('').replace(/\s+/g, ' ').trim();
      const words = text.replace(/\{[^}|]*\}/g, '');
      const isShown =
        isLabel || children.length > 0 ? /\p{L}/u.test(words) : /\p{L}\p{Ll}/u.test(words) && / /.test(text);
      const line = source.slice(0, value.start).split('\n').length;
      if (isShown && !otherTexts.test(text)) yield { area, path, line, text };
    }
    const isLabelInside = labels.test(name) || (isLabel && /^(JSXExpression|Conditional)/.test(type));
    for (const [member, part] of Object.entries(value))
      if (member !== 'key') yield* visit(part, inside, isLabelInside);
  }
  const { program } = parseSync(path, source, { preserveParens: false });
  yield* visit(program.body, areaOfFile, false);
}

function* readLines(path: string, area: Area, sentence: RegExp): Generator<Sentence> {
  for (const [index, line] of readFileSync(join(root, path), 'utf8').split('\n').entries()) {
    const [, text] = sentence.exec(line) ?? [];
    if (text !== undefined) yield { area, path, line: index + 1, text };
  }
}

/** All sentences, file by file. */
export function listSentences(): readonly Sentence[] {
  const find = (files: string) =>
    globSync(files, { cwd: root })
      .filter((path) => !/\.test[.-]|\/(generated|conformance)\//.test(path))
      .toSorted();
  return [
    ...code.flatMap(([files, area]) => find(files).flatMap((path) => [...readCode(path, area)])),
    ...lines.flatMap(([files, area, sentence]) =>
      find(files).flatMap((path) => [...readLines(path, area, sentence)]),
    ),
  ];
}

/** The sentences of the page by its folders, each once, in alphabetical order. */
export function printCatalog(sentences: readonly Sentence[]): string {
  const ofPage = sentences.filter(({ area }) => area === 'page');
  const folders = Map.groupBy(ofPage, ({ path }) => /src\/(\w+)\//.exec(path)?.[1] ?? 'page');
  const sections = [...folders].map(([folder, found]) => {
    const texts = new Set(found.map(({ text }) => `  ${text}\n`));
    return `${folder}\n${[...texts].toSorted().join('')}`;
  });
  return `Printed from the page: pnpm exec node .ci/list-sentences.ts --write\n\n${sections.toSorted().join('\n')}`;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean' } },
  });
  const sentences = listSentences();
  const listed = sentences.filter(({ area }) => positionals.length === 0 || positionals.includes(area));
  if (values.write) writeFileSync(join(root, catalog), printCatalog(sentences));
  for (const [area, found] of values.write ? [] : Map.groupBy(listed, (sentence) => sentence.area)) {
    console.log(`# ${area}: ${found.length}`);
    for (const { path, line, text } of found) console.log(`${path}:${line}: ${text}`);
  }
}
