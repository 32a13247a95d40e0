import ky from 'ky';

interface Plant {
  readonly name: string;
  readonly tag?: string;
}
interface ErrorBody {
  readonly error: number;
  readonly message: string;
}

export async function createRose(token: string): Promise<string> {
  const client = ky.create({ headers: { authorization: `Bearer ${token}` }, throwHttpErrors: false });
  const json = { id: 1, name: 'Rose' };
  const response = await client.post('http://127.0.0.1:3000/plants', { json, retry: { methods: ['post'] } });
  return response.ok ? (await response.json<Plant>()).name : (await response.json<ErrorBody>()).message;
}
