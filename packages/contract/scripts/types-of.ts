import {
  capitalize,
  fieldsOf,
  filtersOf,
  hasOwnInput,
  type Kind,
  prefixOf,
  type Resource,
  searchesOf,
  withArticle,
} from '../src/resource.js';

const inputs: Readonly<Record<Kind, string>> = {
  text: 'string',
  int64: 'number | bigint',
  boolean: 'boolean',
  time: 'string',
  int64List: 'readonly (number | bigint)[]',
};
const values: Readonly<Record<Kind, string>> = { ...inputs, int64: 'bigint', int64List: 'bigint[]' };

/** The types of resources, as a module that a reader of declarations understands. */
export function typesOf(resources: readonly Resource[]): string {
  const names = resources.map(({ name }) => member(name, `${capitalize(name)}Types`));
  return [
    '// Printed from the definitions of the resources: pnpm --filter @plant-store/contract run print-types',
    "import type { FailedResult } from './errors.js';",
    "import type { Doer } from './operation-parts.js';\n",
    ...resources.map(typesOfOne),
    declare('The types of all resources, by their names.', 'ResourceTypes', names),
  ].join('\n');
}

function typesOfOne(resource: Resource): string {
  const { name, plural } = resource;
  const [One, Many, prefix, a] = [
    capitalize(name),
    capitalize(plural),
    prefixOf(resource),
    withArticle(name),
  ];
  const Input = hasOwnInput(resource) ? `${One}Input` : One;
  const fields = (types: Readonly<Record<Kind, string>>) =>
    fieldsOf(resource).map(([each, { kind, description, required }]) =>
      (required ? member : optional)(each, types[kind], `${description}.`),
    );
  const searched = searchesOf(resource).map(([, { label }]) => label.toLowerCase());
  const next = 'Where the next page begins. The last page has none.';
  return [
    declare(`${capitalize(a)} without its ID.`, One, fields(values)),
    Input === One
      ? ''
      : declare(`${capitalize(a)} without its ID, as a client sends it.`, Input, fields(inputs)),
    declare(`${capitalize(a)} under its ID, once validated.`, `New${One} extends ${One}`, [
      member('id', 'bigint'),
    ]),
    "// The compiler's message on a missing member names those of the last type: by declaration, and since TypeScript 7 by name.",
    declare(`${capitalize(a)} to create, with its ID as text.`, `${One}WithIdText extends ${Input}`, [
      optional('id', inputs.int64, 'The ID. It must agree with `idText`.'),
      member('idText', 'string', 'The digits of the ID.'),
    ]),
    declare(`${capitalize(a)} to create, with its ID as a number.`, `${One}WithNumericId extends ${Input}`, [
      member('id', inputs.int64, 'The ID. Beyond 2^53 only a `bigint` is exact.'),
      optional('idText', 'string', 'The digits of the ID. They must agree with `id`.'),
    ]),
    `/** What a client sends to create ${a}: its \`id\`, the digits of the ID as \`idText\`, or both. A \`Stored${One}\` is one, too. */`,
    `export type New${One}Input = ${One}WithIdText | ${One}WithNumericId;\n`,
    declare(`${capitalize(a)} as it is stored.`, `Stored${One} extends New${One}`, [
      member('idText', 'string', 'The digits of the ID, which no program rounds.'),
      optional(
        'addedAt',
        'string',
        `When the ${name} was first stored (ISO 8601, in UTC), if that is known.`,
      ),
    ]),
    declare(`Which ${plural} a list has, and in which order.`, `${One}Query`, [
      optional('limit', 'number', `How many ${plural} a page has at most, from 1 to 1,000. Default: 100.`),
      optional('after', 'string', 'The `next` of the page before, of the same query.'),
      optional(
        'order',
        "'id' | 'newest'",
        '`id` for ascending IDs, `newest` for the latest first, and those without a time last. Default: `id`.',
      ),
      ...filtersOf(resource).map(([each, { kind, label }]) => {
        const limit = kind === 'text' ? ' At most 1,000 characters.' : '';
        return optional(each, inputs[kind], `${Many} with exactly this ${label.toLowerCase()}.${limit}`);
      }),
      searched.length === 0
        ? ''
        : optional(
            'q',
            'string',
            `${Many} with this in their ${searched.join(' or ')}, in upper or lower case. At most 100 characters.`,
          ),
      optional(
        'addedFrom',
        'string',
        `${Many} that were stored at this time or later (RFC 3339, with any offset).`,
      ),
      optional(
        'addedBefore',
        'string',
        `${Many} that were stored before this time (RFC 3339, with any offset).`,
      ),
    ]),
    declare('A page of a list. It may be empty though more pages follow.', `${One}Page`, [
      member(plural, `Stored${One}[]`),
      optional('next', 'string', next),
    ]),
    declare(`A batch of ${plural} to create, from 1 to 1,000.`, `New${Many}`, [
      member(plural, `readonly New${One}Input[]`),
    ]),
    declare(`The ${plural} of a batch, from 1 to 1,000.`, `${One}Ids`, [
      member('ids', 'readonly string[]', `The digits of each ID, such as the \`idText\` of ${a}.`),
    ]),
    declare(`${capitalize(a)} of a batch was found.`, `${prefix}FoundResult`, [
      member('status', '200'),
      member(name, `Stored${One}`),
    ]),
    `/** The outcome of one ${name} of a batch: what a request of its own would have returned. */`,
    `export type ${prefix}GetResult = ${prefix}FoundResult | FailedResult<400 | 404 | 500 | 503>;\n`,
    declare(`The outcomes of a batch, in the order of its ${plural}.`, `${prefix}GetResults`, [
      member('results', `${prefix}GetResult[]`),
    ]),
    declare(`The last change of ${a} was its creation or an update.`, `Stored${prefix}Change`, [
      member('kind', "'created' | 'updated'"),
      ...change,
      member(name, `Stored${One}`, `The ${name} as it is now.`),
    ]),
    declare(`The last change of ${a} was its deletion.`, `Deleted${prefix}Change`, [
      member('kind', "'deleted'"),
      ...change,
      optional(name, ''),
    ]),
    `/** The last change of ${a}. It narrows by \`kind\`. */`,
    `export type ${prefix}Change = Stored${prefix}Change | Deleted${prefix}Change;\n`,
    declare(
      'A page of changes. There are no more if it is empty and `next` is its own `after`.',
      `${prefix}ChangePage`,
      [member('changes', `${prefix}Change[]`), member('next', 'string', 'Where the next page begins.')],
    ),
    declare(`What ${a} is, or was.`, `${One}State extends ${One}`, [
      optional(
        'from',
        'string',
        `Since when the ${name} is or was like this (ISO 8601, in UTC), if that is known.`,
      ),
      optional('until', 'string', 'Until when. The current state has none.'),
      optional(
        'by',
        'Doer',
        'Who made it like this, if that is known. Only tokens with the scope `admin` are shown it.',
      ),
    ]),
    declare(`What ${a} is, and what it was.`, `${One}History`, [
      member('states', `${One}State[]`, 'The latest first.'),
      optional('next', 'string', next),
    ]),
    declare(`The types of ${plural}, by what they are for.`, `${One}Types`, [
      member('fields', One),
      member('input', Input),
      member('create', `New${One}`),
      member('createInput', `New${One}Input`),
      member('stored', `Stored${One}`),
      member('query', `${One}Query`),
      member('page', `${One}Page`),
      member('batch', `New${Many}`),
      member('ids', `${One}Ids`),
      member('getResults', `${prefix}GetResults`),
      member('change', `${prefix}Change`),
      member('changePage', `${prefix}ChangePage`),
      member('history', `${One}History`),
    ]),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

const change = [
  member('id', 'bigint'),
  member('idText', 'string', 'The digits of the ID.'),
  optional('at', 'string', 'When it happened (ISO 8601, in UTC), if that is known.'),
];

function member(name: string, type: string, description = ''): string {
  return `${description && `  /** ${description} */\n`}  ${name}: ${type};\n`;
}

function optional(name: string, type: string, description?: string): string {
  return member(`${name}?`, type && `${type} | undefined`, description).replace('?: ;', '?: undefined;');
}

function declare(description: string, heading: string, members: readonly string[]): string {
  return `/** ${description} */\nexport interface ${heading} {\n${members.join('')}}\n`;
}
