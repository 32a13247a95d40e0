import {
  capitalize,
  fieldsOf,
  filtersOf,
  hasOwnInput,
  type Kind,
  ordersOf,
  pluralFilterOf,
  prefixOf,
  type Resource,
  searchedFieldsOf,
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

/** Prints a module with the types of resources, as declarations that are easy to read. */
export function typesOf(resources: readonly Resource[]): string {
  const names = resources.map(({ name }) => member(name, `${capitalize(name)}Types`));
  return [
    '// Printed from the resource definitions: pnpm --filter @plant-store/contract run print-types',
    "import type { FailedResult } from './errors.js';",
    "import type { ItemCondition } from './operation-parts.js';\n",
    ...resources.map(typesOfOne),
    declare('The types of all resources, by resource name.', 'ResourceTypes', names),
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
  const searched = searchedFieldsOf(resource).map(([, { label }]) => label.toLowerCase());
  const withoutNames = filtersOf(resource).flatMap(([each, { required }]) => (required ? [] : each));
  const resultsOf = (operation: string, success: string, what: string, when: string, failures: string) => [
    declare(`A result in a batch: the ${name} ${what}.`, `${prefix}${success}Result`, [
      member('status', '200'),
      member(name, `Stored${One}`),
      member('etag', 'string', `The \`ETag\` of the ${name}${when}.`),
    ]),
    `/** The outcome for one ${name} of a batch, the same as for a separate request. */`,
    `export type ${prefix}${operation}Result = ${prefix}${success}Result | FailedResult<${failures}>;\n`,
    declare(`The outcomes of a batch, in the order of its ${plural}.`, `${prefix}${operation}Results`, [
      member('results', `${prefix}${operation}Result[]`),
    ]),
  ];
  const next = 'The cursor for the next page. Pass it as `after`. The last page has none.';
  return [
    declare(`${capitalize(a)} without its ID.`, One, fields(values)),
    Input === One
      ? ''
      : declare(`${capitalize(a)} without its ID, as a client sends it.`, Input, fields(inputs)),
    declare(`${capitalize(a)} with its ID, after validation.`, `New${One} extends ${One}`, [
      member('id', 'bigint'),
    ]),
    "// If a member is missing, the compiler's message names the members of the last type: in declaration order, or by name since TypeScript 7.",
    declare(`${capitalize(a)} to create, with its ID as text.`, `${One}WithIdText extends ${Input}`, [
      optional('id', inputs.int64, 'The ID. It must agree with `idText`.'),
      member('idText', 'string', 'The digits of the ID.'),
    ]),
    declare(`${capitalize(a)} to create, with its ID as a number.`, `${One}WithNumericId extends ${Input}`, [
      member('id', inputs.int64, 'The ID. Beyond 2^53 only a `bigint` is exact.'),
      optional('idText', 'string', 'The digits of the ID. They must agree with `id`.'),
    ]),
    `/** What a client sends to create ${a}: its \`id\`, the digits of the ID as \`idText\`, or both. A \`Stored${One}\` also works. */`,
    `export type New${One}Input = ${One}WithIdText | ${One}WithNumericId;\n`,
    declare(`${capitalize(a)} as stored, with its ID.`, `Stored${One} extends New${One}`, [
      member('idText', 'string', 'The digits of the ID.'),
      optional('addedAt', 'string', `When the ${name} was first stored (ISO 8601, in UTC), if known.`),
      optional(
        'addedBy',
        'string',
        `Who created the ${name}: the ID of an access token, or \`subject\` and the subject of a JSON Web Token. Visible only with the scope \`admin\`.`,
      ),
      optional('changedBy', 'string', `Who last updated the ${name}, in the same form.`),
    ]),
    declare(`The query for a list of ${plural}.`, `${One}Query`, [
      optional(
        'limit',
        'number',
        `The maximum number of ${plural} on a page, from 1 to 1,000. Default: 100.`,
      ),
      optional('after', 'string', 'The `next` of the previous page of the same query.'),
      optional(
        'order',
        ordersOf(resource)
          .map((order) => `'${order}'`)
          .join(' | '),
        'The sort order. Records without a time count as the oldest, and text is compared regardless of case. A leading `-` makes the order descending. Default: `id`.',
      ),
      ...filtersOf(resource).map(([each, { kind, label }]) => {
        const limit = kind === 'text' ? ' At most 1,000 characters.' : '';
        return optional(each, inputs[kind], `${Many} with exactly this ${label.toLowerCase()}.${limit}`);
      }),
      ...filtersOf(resource).map(([each, { kind }]) =>
        optional(
          pluralFilterOf(each),
          `readonly ${inputs[kind].includes('|') ? `(${inputs[kind]})` : inputs[kind]}[]`,
          `${Many} with any of these \`${each}\` values, at most 20.`,
        ),
      ),
      withoutNames.length === 0
        ? ''
        : optional(
            'without',
            withoutNames.map((each) => `'${each}'`).join(' | '),
            `Include ${plural} without a value for this field, in addition to those with the requested values.`,
          ),
      searched.length === 0
        ? ''
        : optional(
            'q',
            'string',
            `${Many} with this text in their ${searched.join(' or ')}, regardless of case. At most 100 characters.`,
          ),
      optional('addedFrom', 'string', `${Many} stored at this time or later (RFC 3339, with any offset).`),
      optional('addedBefore', 'string', `${Many} stored before this time (RFC 3339, with any offset).`),
      optional('total', 'boolean', `Whether to count all ${plural} that match.`),
      optional('fields', "'id'", `With \`id\`, the page has only \`ids\`, and no ${plural}.`),
    ]),
    declare(
      `A page of a list. It has \`limit\` ${plural}, unless the list ends, they are large, or the search takes too long.`,
      `${One}Page`,
      [
        member(plural, `Stored${One}[]`),
        optional(
          'ids',
          'string[]',
          `The IDs instead of the ${plural}, if the query has \`fields=id\`. You can send them in a batch.`,
        ),
        optional('next', 'string', next),
        optional('total', 'number', `How many ${plural} match, if the query includes \`total=true\`.`),
        optional('totalIsEstimate', 'boolean', 'Whether `total` is an estimate.'),
        optional('partial', 'boolean', 'Whether the page ends early because the search took too long.'),
      ],
    ),
    declare(`A batch of ${plural} to create, from 1 to 1,000.`, `New${Many}`, [
      member(plural, `readonly New${One}Input[]`),
    ]),
    declare(`The IDs of a batch, from 1 to 1,000.`, `${One}Ids`, [
      member('ids', 'readonly string[]', `The digits of each ID, such as the \`idText\` of ${a}.`),
    ]),
    `/** ${capitalize(a)} to update in a batch: its ID as for a create, all its fields, and a condition. */`,
    `export type ${One}Update = New${One}Input & ItemCondition;\n`,
    declare(`A batch of ${plural} to update, from 1 to 1,000.`, `${One}Updates`, [
      member(plural, `readonly ${One}Update[]`),
    ]),
    declare(`A batch of ${plural} to delete, from 1 to 1,000.`, `${One}Deletions extends ${One}Ids`, [
      optional(
        'ifMatch',
        'readonly string[]',
        `The \`ETag\` that each ${name} must still have, in the order of the IDs, or \`*\`. Default: no conditions.`,
      ),
    ]),
    ...resultsOf('Get', 'Found', 'was found', '', '400 | 404 | 500 | 503'),
    ...resultsOf(
      'Update',
      'Updated',
      'was updated, or already has these fields',
      ' as it is now',
      '400 | 404 | 412 | 500 | 503',
    ),
    declare(`The latest change of ${a} that exists: its creation or an update.`, `Stored${prefix}Change`, [
      member('kind', "'created' | 'updated'"),
      ...change,
      member(name, `Stored${One}`, `The ${name} as it is now.`),
    ]),
    declare(`The latest change of a deleted ${name}: its deletion.`, `Deleted${prefix}Change`, [
      member('kind', "'deleted'"),
      ...change,
      optional(name, ''),
    ]),
    `/** The latest change of ${a}. The type narrows by \`kind\`. */`,
    `export type ${prefix}Change = Stored${prefix}Change | Deleted${prefix}Change;\n`,
    declare(
      'A page of changes. If it is empty and `next` is your `after`, there are no more changes yet.',
      `${prefix}ChangePage`,
      [
        member('changes', `${prefix}Change[]`),
        member('next', 'string', 'The cursor for the next page. Pass it as `after`.'),
      ],
    ),
    declare(`A current or earlier state of ${a}.`, `${One}State extends ${One}`, [
      optional('from', 'string', 'When this state began (ISO 8601, in UTC), if known.'),
      optional('until', 'string', 'When this state ended. The current state has no `until` field.'),
      optional(
        'by',
        'string',
        `Who created or updated the ${name} to this state: see \`Stored${One}.addedBy\`.`,
      ),
    ]),
    declare(`A page of the current and earlier states of ${a}.`, `${One}History`, [
      member('states', `${One}State[]`, 'The states, newest first.'),
      optional('next', 'string', next),
    ]),
    declare(`The types of ${plural}, by purpose.`, `${One}Types`, [
      member('fields', One),
      member('input', Input),
      member('create', `New${One}`),
      member('createInput', `New${One}Input`),
      member('stored', `Stored${One}`),
      member('query', `${One}Query`),
      member('page', `${One}Page`),
      member('batch', `New${Many}`),
      member('ids', `${One}Ids`),
      member('updates', `${One}Updates`),
      member('deletions', `${One}Deletions`),
      member('getResults', `${prefix}GetResults`),
      member('updateResults', `${prefix}UpdateResults`),
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
  optional('at', 'string', 'When the change happened (ISO 8601, in UTC), if known.'),
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
