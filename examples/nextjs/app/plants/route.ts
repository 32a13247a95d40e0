import { storePlant } from '../store-plant';

/** `POST /plants` with `{ "id": "9000000000000007001", "name": "Rose" }`. */
export async function POST(request: Request): Promise<Response> {
  const { id, name } = Object(await request.json().catch(() => undefined));
  const { status, message } = await storePlant(id, name);
  return Response.json({ message }, { status });
}
