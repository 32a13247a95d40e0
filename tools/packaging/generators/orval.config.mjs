export default {
  plants: {
    input: './openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', baseUrl: { runtime: 'process.argv[2]' } },
  },
};
