/** A generator as it is tried: what is installed, and how it generates what its program in `generators/` imports. */
export interface Generator {
  /** That of its program. */
  readonly name: string;
  /** As `name@version`: the generator, and what its client needs at run time. The table names them. */
  readonly packages: readonly string[];
  /** What they need besides. */
  readonly peers?: readonly string[];
  /** The command of an installed package, with its arguments; none where another generator has written the types. */
  readonly command?: readonly string[];
  /** The file for what the command prints. */
  readonly output?: string;
  /** What its program needs a setting for, as the table says it. */
  readonly setting?: string;
}

const [openApiTypescript, axios] = ['openapi-typescript@7.13.0', 'axios@1.21.1'];

export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: [openApiTypescript, 'openapi-fetch@0.17.0'],
    command: ['openapi-typescript', 'openapi.json', '-o', 'generated/openapi-typescript.ts'],
  },
  {
    name: 'openapi-typescript-fetch',
    packages: [openApiTypescript, 'openapi-typescript-fetch@2.2.1'],
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts@0.99.0'],
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'generated/hey-api'],
  },
  {
    name: 'orval',
    packages: ['orval@8.38.0'],
    command: ['orval', '--config', 'orval.config.mjs'],
  },
  {
    name: 'kubb',
    packages: ['@kubb/plugin-client@4.39.3'],
    peers: ['@kubb/cli@4.39.3', '@kubb/core@4.39.3', '@kubb/plugin-oas@4.39.3', '@kubb/plugin-ts@4.39.3'],
    command: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api@13.13.0'],
    command: [
      ...['swagger-typescript-api', 'generate', '-p', 'openapi.json'],
      ...['-o', 'generated', '-n', 'swagger-typescript-api.ts'],
    ],
  },
  {
    name: 'oazapfts',
    packages: ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0'],
    command: ['oazapfts', 'openapi.json', 'generated/oazapfts.ts'],
  },
  {
    name: 'typed-openapi',
    packages: ['typed-openapi@2.2.7'],
    command: ['typed-openapi', 'openapi.json', '-o', 'generated/typed-openapi.ts'],
  },
  {
    name: 'openapi-typescript-codegen',
    packages: ['openapi-typescript-codegen@0.31.0'],
    command: ['openapi', '-i', 'openapi.json', '-o', 'generated/openapi-typescript-codegen'],
  },
  {
    name: 'openapi-zod-client',
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6'],
    peers: ['zod@3.25.76', axios],
    command: ['openapi-zod-client', 'openapi.json', '-o', 'generated/openapi-zod-client.ts'],
    setting: "`validate: 'response'`",
  },
  {
    name: 'openapi-client-axios',
    packages: ['openapi-client-axios-typegen@7.8.0', 'openapi-client-axios@7.9.1'],
    peers: [axios],
    command: ['typegen', 'openapi.json'],
    output: 'generated/openapi-client-axios.d.ts',
  },
];
