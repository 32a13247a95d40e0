// Generates the types with openapi-typescript's Node.js API: an int64 becomes a bigint.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const nodes = await openapiTS(new URL('./openapi.json', import.meta.url), {
  transform: ({ format }) =>
    format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
});
writeFileSync('plants.bigint.ts', astToString(nodes));
