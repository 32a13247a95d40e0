import createClient from 'openapi-fetch';

/** The part that a create needs of what openapi-typescript generates for the API. */
interface Paths {
  readonly '/plants': {
    readonly post: {
      readonly requestBody: { content: { 'application/json': { id: number; name: string; tag?: string } } };
      readonly responses: {
        readonly 200: { content: { 'application/json': { name: string; tag?: string } } };
        readonly 400: { content: { 'application/json': { error: number; message: string } } };
      };
    };
  };
}

export async function createRose(token: string): Promise<string> {
  const client = createClient<Paths>({
    baseUrl: 'http://127.0.0.1:3000',
    headers: { authorization: `Bearer ${token}` },
  });
  const { data, error } = await client.POST('/plants', { body: { id: 1, name: 'Rose' } });
  return error ? error.message : data.name;
}
