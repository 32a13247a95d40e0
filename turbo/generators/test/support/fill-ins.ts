import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/operation.js';

/** Lines to be written by hand instead of generated ones. */
export interface FillIn {
  readonly file: string;
  readonly generated: string;
  readonly replacement: string;
}

/** @throws {Error} when a file does not have the generated lines exactly once */
export function fillIn(root: string, fillIns: readonly FillIn[]): void {
  for (const { file, generated, replacement } of fillIns) {
    const [start, end, ...others] = readFileSync(join(root, file), 'utf8').split(generated);
    if (start === undefined || end === undefined || others.length > 0) {
      throw new Error(`${file} does not have exactly once:\n${generated}`);
    }
    writeFileSync(join(root, file), start + replacement + end);
  }
}

/** The least that makes an operation answer: the same plant, or no body, to every request. */
export function fillInsFor({ name, file, method }: Operation): FillIn[] {
  const generated = `throw new Error('${name} is not implemented');`;
  const [status, body] = method === 'DELETE' ? [204, 'undefined'] : [200, "{ name: 'Monstera' }"];
  return [
    { file: `apps/api/src/plants/${file}.ts`, generated, replacement: `return ${body};` },
    {
      file: 'packages/client/src/testing/handlers.ts',
      generated,
      replacement: `return { status: ${status}, body: ${body} };`,
    },
  ];
}

const notFound = `\`No plant has the id \${id}.\``;

/** What a person adds for `getSample`: its meaning, in the service and in the fake, and its cases. */
export const getSampleFillIns: readonly FillIn[] = [
  {
    file: 'apps/api/src/plants/get-sample.ts',
    generated: `export async function getSample(_store: Pick<PlantStore, 'find' | 'list'>, _id: bigint): Promise<Plant> {
  throw new Error('getSample is not implemented');
}`,
    replacement: `export async function getSample(store: Pick<PlantStore, 'find' | 'list'>, id: bigint): Promise<Plant> {
  const [plant] = await store.find([id]);
  if (plant === undefined || 'deleted' in plant)
    throw new ServiceError('not_found', ${notFound});
  return plant.tag === undefined ? { name: plant.name } : { name: plant.name, tag: plant.tag };
}`,
  },
  {
    file: 'apps/api/src/plants/get-sample.ts',
    generated: "import type { Plant } from '@plant-store/contract';\n",
    replacement: `import type { Plant } from '@plant-store/contract';
import { ServiceError } from '../errors/service-error.js';
`,
  },
  {
    file: 'packages/client/src/testing/handlers.ts',
    generated: `  getSample() {
    throw new Error('getSample is not implemented');
  },`,
    replacement: `  getSample({ params: { id } }, { plants }) {
    const plant = plants.get(id);
    if (plant === undefined) throw new ServiceError('not_found', ${notFound});
    return { status: 200, body: plant };
  },`,
  },
  {
    file: 'packages/contract/test/operation-cases.ts',
    generated: `    ['a request', get('/samples/1', 'GET'), created({ name: '"Monstera"' })],
    ['HEAD, without the body', get('/samples/1', 'HEAD'), ok('')],
`,
    replacement: `    ['a plant', create(plant(max, { name: '"Monstera"' })), created({ name: '"Monstera"' })],
    ['its sample', get(\`/samples/\${max}\`), created({ name: '"Monstera"' })],
    ['HEAD, without the body', get(\`/samples/\${max}\`, 'HEAD'), ok('')],
    ['an id that no plant has', get('/samples/1'), rejected('not_found', 'No plant has the id 1.')],
    ['an id beyond 64 bits', get(\`/samples/\${max + 1n}\`), invalidId],
`,
  },
];
