export default {
  input: './openapi.json',
  output: './plants-bigint',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', '@hey-api/transformers'],
};
