// Lists the sentences and labels that people see, by area, one per line, with file and line number:
//   pnpm exec node .ci/list-sentences.ts [page | errors | commands | log | alerts | openapi | packages]
// Writes the page's sentences to `catalog`, without line numbers, so that the file changes only when the words do:
//   pnpm exec node .ci/list-sentences.ts --write
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');

/** The file with the page's sentences. A test compares it with the code. */
export const catalog = 'apps/web/sentences.txt';

type Area = 'page' | 'errors' | 'commands' | 'log' | 'alerts' | 'openapi' | 'packages';

interface Sentence {
  readonly area: Area;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Source files, and the area of their sentences, unless `areaByCall` has one for the call around a sentence. */
const sourceFiles: readonly (readonly [files: string, area: Area])[] = [
  ['apps/web/src/**/*.{ts,tsx}', 'page'],
  ['packages/contract/src/{exact-json/*,error-texts,messages,*schemas}.ts', 'errors'],
  ['packages/records/src/*.ts', 'errors'],
  ['apps/api/src/{auth,errors,http}/**/*.ts', 'errors'],
  ['apps/api/src/{*,{check,cli,cluster,observe,runtime,store}/**/*}.ts', 'commands'],
];

/** Other files, with a pattern that captures the sentence in a line. */
const textFiles: readonly (readonly [files: string, area: Area, sentence: RegExp])[] = [
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

/** The area of sentences in calls of a function, or of an object's methods. */
const areaByCall: ReadonlyMap<string, Area> = new Map([
  ['log', 'log'],
  ['ServiceError', 'errors'],
  ['OperatorError', 'commands'],
]);
/** Attributes and properties that hold a label, which can be a single word. */
const labels = /^(aria-label|aria-description|alt|label|title|heading|placeholder|hint|message)$/;
const ignoredNodes = /^(Import|ExportAll|ExportSpecifier|TS(?!As|Satisfies|NonNull))/;
/** Attributes and properties that hold code, or text for the OpenAPI document, which is listed separately. */
const ignoredMembers = /^(aria-\w+edby|className|style|d|media|accept|autoComplete|description|summary)$/;
const ignoredCalls =
  /^(querySelector(All)?|matches|closest|matchMedia|prepare|query|raw|sql|Error|TypeError)$/;
const ignoredTexts =
  /^(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA|BEGIN|SET|WHERE|FROM|[-."#<[(:@\\])|\w\(|<\w|\bNULLS?\b|\0/;
/** Elements that are part of the sentence around them. */
const inlineElements = /^(a|b|bdi|code|em|kbd|mark|span|strong|time)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof Object(value).type === 'string';

const childrenOf = (node: Node): readonly Node[] =>
  /^JSX(Element|Fragment)$/.test(node.type) ? (node['children'] as readonly Node[]) : [];

/** Returns the last part of a name, such as `count` for `plants.count`. Empty if the node has no name. */
function nameOf(node: unknown): string {
  const { type, property, name } = Object(node);
  if (type === 'MemberExpression') return nameOf(property);
  if (type === 'JSXOpeningElement') return nameOf(name);
  if (/^(JSX)?Identifier$/.test(type)) return name;
  return isStringLiteral(node) ? node.value : '';
}

/** Whether a node is a string in quotes. */
const isStringLiteral = (node: unknown): node is Node & { readonly value: string } =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string';

/** Whether a node is literal text, at least in part. */
function isText(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'JSXExpressionContainer') return isText(node['expression']);
  if (node.type === 'ConditionalExpression') return isText(node['consequent']) || isText(node['alternate']);
  if (node.type === 'BinaryExpression')
    return node['operator'] === '+' && (isText(node['left']) || isText(node['right']));
  return node.type === 'JSXText'
    ? String(node['value']).trim() !== ''
    : isStringLiteral(node) || node.type === 'TemplateLiteral';
}

/**
 * Returns the text of an expression, with `{name}` for a value that is known only at run time, and `{this|that}` for a choice. Adds the
 * text nodes that it reads to `used`, so that they are not listed again.
 */
function textOf(node: unknown, used: Set<unknown>): string {
  const toText = (part: unknown) => textOf(part, used);
  if (!isNode(node) || node.type === 'JSXEmptyExpression' || node['value'] === null) return '';
  const { type } = node;
  const children = childrenOf(node);
  if (type === 'JSXElement' && !inlineElements.test(nameOf(node['openingElement']))) {
    const name = nameOf(node['openingElement']);
    return /^[A-Z]/.test(name) && name !== 'Icon' && children.length === 0 ? `{${name}}` : ' ';
  }
  if (isText(node) || children.length > 0) used.add(node);
  if (children.length > 0) return children.map(toText).join('');
  if (type === 'JSXText' || isStringLiteral(node)) return String(node['value']);
  if (type === 'JSXExpressionContainer') return toText(node['expression']);
  if (type === 'TemplateLiteral') {
    const expressions = node['expressions'] as readonly Node[];
    const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    return quasis.map(({ value }, index) => `${value.cooked}${toText(expressions[index])}`).join('');
  }
  if (isText(node) && type === 'BinaryExpression') return toText(node['left']) + toText(node['right']);
  if (isText(node) && type === 'ConditionalExpression') {
    const choices = [node['consequent'], node['alternate']].map(toText);
    return `{${choices.map((each) => each.replace(/^\{(.*)\}$/, '$1')).join('|')}}`;
  }
  if (type === 'Identifier' && node['name'] === 'undefined') return '';
  // A call is named after what it formats: its first argument or its object.
  const [first] = (node['arguments'] ?? []) as readonly Node[];
  const candidates = [first, Object(node['callee']).object, node['callee'], node];
  const names = candidates.map((each) => (isStringLiteral(each) ? '' : nameOf(each)));
  return `{${names.find((name) => name !== '') ?? '…'}}`;
}

/** Finds the sentences of one source file. */
function* readCode(path: string, areaOfFile: Area): Generator<Sentence> {
  const source = readFileSync(join(root, path), 'utf8');
  const used = new Set<unknown>();

  function* visit(value: unknown, area: Area, isLabel: boolean): Generator<Sentence> {
    if (Array.isArray(value)) for (const each of value) yield* visit(each, area, isLabel);
    if (!isNode(value) || used.has(value) || ignoredNodes.test(value.type)) return;
    const { type, callee } = value;
    const name = nameOf(callee ?? value['key'] ?? value['name']);
    if ((callee === undefined ? ignoredMembers : ignoredCalls).test(name)) return;
    const areaInside = areaByCall.get(name) ?? areaByCall.get(nameOf(Object(callee).object)) ?? area;
    const children = childrenOf(value);
    if ((children.some(isText) || isText(value)) && type !== 'ConditionalExpression') {
      const parts = (children.length > 0 ? children : [value]).map((each) => textOf(each, used));
      const text = parts.join('').replace(/\s+/g, ' ').trim();
      const words = text.replace(/\{[^}|]*\}/g, '');
      const isShown =
        isLabel || children.length > 0 ? /\p{L}/u.test(words) : /\p{L}\p{Ll}/u.test(words) && / /.test(text);
      const line = source.slice(0, value.start).split('\n').length;
      if (isShown && !ignoredTexts.test(text)) yield { area, path, line, text };
    }
    const isLabelInside = labels.test(name) || (isLabel && /^(JSXExpression|Conditional)/.test(type));
    for (const [member, part] of Object.entries(value))
      if (member !== 'key') yield* visit(part, areaInside, isLabelInside);
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

/** Lists all sentences, file by file. */
export function listSentences(): readonly Sentence[] {
  const find = (files: string) =>
    globSync(files, { cwd: root })
      .filter((path) => !/\.test[.-]|\/(generated|conformance)\//.test(path))
      .toSorted();
  return [
    ...sourceFiles.flatMap(([files, area]) => find(files).flatMap((path) => [...readCode(path, area)])),
    ...textFiles.flatMap(([files, area, sentence]) =>
      find(files).flatMap((path) => [...readLines(path, area, sentence)]),
    ),
  ];
}

/** Returns the content of `catalog`: the page's folders in alphabetical order, each with its distinct sentences. */
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
