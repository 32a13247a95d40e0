/** The same call with this client and with other libraries: the files in `programs/`, and what each one uses. */
export const programs = {
  'plant-store-errors': '@plant-store/client, everything it exports',
  'plant-store-whole': '@plant-store/client, everything except the table of errors',
  'plant-store': '@plant-store/client',
  'plant-store-unwrap': '@plant-store/client with unwrap',
  'plant-store-list': '@plant-store/client/list alone',
  'plant-store-bulk': '@plant-store/client/bulk alone',
  'plant-store-tanstack-query': '@plant-store/client with tanstack-query, without TanStack Query',
  'plant-store-msw': '@plant-store/client/msw alone, without MSW and the fake',
  ky: 'ky, without a contract',
  'openapi-fetch': 'openapi-fetch, types only',
  trpc: '@trpc/client, httpLink',
  'orpc-types-only': '@orpc/openapi-client, contract of types only',
  orpc: '@orpc/openapi-client, contract with zod 4',
  'ts-rest-types-only': '@ts-rest/core initClient, contract of types only',
  'ts-rest': '@ts-rest/core initClient, contract with zod 4',
} as const;
