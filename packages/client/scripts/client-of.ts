import { contract } from '@plant-store/contract';
import { capitalize, hasOwnInput, isFirst, prefixOf, withArticle } from '@plant-store/contract/resource';
import { type ResourceName, resources } from '@plant-store/contract/resources';

type RecordMetadata = Extract<
  (typeof contract)[keyof typeof contract]['metadata'],
  { readonly resource: ResourceName }
> & { readonly field?: string };

/** A method as `client.ts` declares it: what an editor shows, and what precedes the options of a call. */
interface Method {
  readonly text: string;
  readonly request: string;
  /** The types of the contract that the request names. */
  readonly types: readonly string[];
  readonly isOptional?: boolean;
}

/** `client.ts` with the methods of the records' operations between its marks, and with the imports that they need. */
export function clientOf(source: string): string {
  const methods = Object.entries(contract).flatMap(([name, { metadata }]) =>
    !('operation' in metadata) || metadata.operation === undefined
      ? []
      : [{ name, metadata, ...methodOf(metadata) }],
  );
  const printed = methods.map(({ name, text, request, isOptional, metadata }) => {
    const method = `/** ${text} */\n${name}(request${isOptional ? '?' : ''}: ${request} & CallOptions): Promise<ReplyOf<'${name}'>>;\n`;
    return metadata.operation === 'get' ? getOnCondition(name, metadata) + method : method;
  });
  const own = [...importOf(source).matchAll(/\w+/g)].map(([type]) => type);
  const ofMethods = new Set(methods.flatMap(({ types }) => types));
  const rest = source.replace(marked, '').replace(importPattern, '');
  const types = [...new Set([...own, ...ofMethods])].filter(
    (type) => ofMethods.has(type) || new RegExp(`\\b${type}\\b`).test(rest),
  );
  return source
    .replace(
      importPattern,
      `import type { ${types.toSorted().join(', ')} } from '@plant-store/contract/operations';`,
    )
    .replace(marked, (_, start: string, end: string) => `${start}\n${printed.join('\n')}${end}`);
}

const importPattern = /import type \{([^}]*)\} from '@plant-store\/contract\/operations';/;
const marked = /(\/\/ Printed from the contract.*\n)[\s\S]*?( *\/\/ End of what is printed)/;

const importOf = (source: string) => importPattern.exec(source)?.[1] ?? '';

function getOnCondition(name: string, { resource }: RecordMetadata): string {
  return `/** Gets ${withArticle(resource)} conditionally. With the \`etag\` of an earlier reply in \`if-none-match\`, the status is 304 if it has not changed. */
${name}(request: { readonly params: IdParams; readonly headers: ReadCondition } & CallOptions): Promise<ReplyOf<'${name}'> | ConditionReply>;\n`;
}

function methodOf({ resource: name, operation, field = '' }: RecordMetadata): Method {
  const resource = resources[name];
  const { plural } = resource;
  const [One, Many, a] = [capitalize(name), capitalize(plural), withArticle(name)];
  /** A sentence about a function of the client, which only plants have. */
  const also = (sentence: string) => (isFirst(resource) ? ` ${sentence}` : '');
  const body = (type: string) => ({ request: `{ readonly body: ${type} }`, types: [type] });
  const query = (type: string) => ({
    request: `{ readonly query?: ${type} }`,
    types: [type],
    isOptional: true,
  });
  const id = { request: '{ readonly params: IdParams }', types: ['IdParams'] };
  const input = hasOwnInput(resource) ? `${One}Input` : One;
  const each = 'Each has its own result, in the order sent.';
  switch (operation) {
    case 'create':
      return {
        text: `Creates ${a}. Creating the same ${name} again returns 200 with \`replayed: true\`, so you can always retry a create.`,
        ...body(`New${One}Input`),
      };
    case 'get':
      return { text: `Gets ${a}.`, ...id };
    case 'list':
      return {
        text: `Lists ${plural}, one page per call.${also('`listAll` requests all pages.')}`,
        ...query(`${One}Query`),
      };
    case 'createMany':
      return {
        text: `Creates up to 1,000 ${plural}. ${each}${also('`storeAll` takes any number.')}`,
        ...body(`New${Many}`),
      };
    case 'getMany':
      return {
        text: `Gets up to 1,000 ${plural}. ${each}${also('`getAll` takes any number.')}`,
        ...body(`${One}Ids`),
      };
    case 'updateMany':
      return {
        text: `Replaces all fields of up to 1,000 ${plural}, each only if it still has the \`ETag\` in its \`ifMatch\`. ${each}${also('`updateAll` takes any number.')}`,
        ...body(`${One}Updates`),
      };
    case 'deleteMany':
      return {
        text: `Deletes up to 1,000 ${plural}. With \`ifMatch\`, deletes only those that have not changed. ${each}${also('`deleteAll` takes any number.')}`,
        ...body(`${One}Deletions`),
      };
    case 'update':
      return {
        text: `Replaces all fields of ${a} conditionally. If the condition is false, the status is 412.${also('`saveEdit` changes single fields.')}`,
        request: `{ readonly params: IdParams; readonly body: ${input} } & Condition`,
        types: ['IdParams', input],
      };
    case 'delete':
      return {
        text: `Deletes ${a}. With \`ifMatch\`, deletes it only if it has not changed. Also succeeds if the ${name} was deleted before.`,
        request: `{ readonly params: IdParams; readonly ifMatch?: Pick<Reply, 'etag'> | undefined }`,
        types: ['IdParams'],
      };
    case 'count':
      return {
        text: `Counts the ${plural} of each ${field}, one page per call.${also(`\`count${capitalize(field)}s\` adds up all pages.`)}`,
        ...query(`${prefixOf(resource)}${capitalize(field)}Query`),
      };
    case 'history':
      return {
        text: `Gets the current and earlier states of ${a}, the latest first, one page per call.`,
        request: '{ readonly params: IdParams; readonly query?: HistoryQuery }',
        types: ['IdParams', 'HistoryQuery'],
      };
    case 'changes':
      return {
        text: `Lists ${isFirst(resource) ? 'creates, updates, and deletes' : `creates, updates, and deletes of ${plural}`}, one page per call.${also('`followChanges` continues with later changes.')}`,
        ...query('ChangeQuery'),
      };
  }
}
