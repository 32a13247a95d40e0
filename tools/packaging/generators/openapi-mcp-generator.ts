// packages: openapi-mcp-generator@4.0.1
// peers: @modelcontextprotocol/sdk@1.32.2 axios@1.21.1 dotenv@16.6.1 json-schema-to-zod@2.8.0 zod@3.25.76
// command: openapi-mcp-generator -i openapi.json -o generated/mcp
// note: an MCP server
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { baseUrl, token, useClient } from './use-client.js';

type Plant = { id: number; idText: string; name: string };

const client = new Client({ name: 'program', version: '1' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ['generated/mcp/src/index.ts'],
    env: { API_BASE_URL: baseUrl, BEARER_TOKEN_BEARER: token },
    stderr: 'ignore',
  }),
);

/** What a tool replies with, as a model reads it; the text of an error is thrown. */
async function call<Result>(name: string, parameters: Record<string, unknown> = {}): Promise<Result> {
  const { content } = await client.callTool({ name, arguments: parameters });
  const [{ text }] = content as [{ text: string }];
  const [, json] = /^API Response \(Status: 200\):\n(.*)$/s.exec(text) ?? [];
  if (json === undefined && !text.startsWith('API Response (Status: 204)')) throw new Error(text);
  return JSON.parse(json ?? 'null');
}

await useClient<Plant>({
  create: (plant) => call('createPlant', { requestBody: plant }),
  list: async () => (await call<{ plants: Plant[] }>('listPlants')).plants,
  get: (plant) => call('getPlant', { id: plant.id }),
  delete: (plant) => call('deletePlant', { id: plant.id }),
});
await client.close();
