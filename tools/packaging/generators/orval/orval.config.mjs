export default {
  plants: {
    input: './openapi.json',
    output: { target: './plants.ts', client: 'fetch', baseUrl: { runtime: 'process.argv[2]' } },
  },
  bigint: {
    input: './openapi.json',
    output: {
      target: './plants.bigint.ts',
      client: 'fetch',
      baseUrl: { runtime: 'process.argv[2]' },
      override: { useBigInt: true },
    },
  },
};
