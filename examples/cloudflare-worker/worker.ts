import { createClient, isPlantStoreError } from '@plant-store/client';

/** The variable in wrangler.jsonc, and a secret: `wrangler secret put PLANT_STORE_TOKEN`. */
interface Env {
  readonly PLANT_STORE_URL: string;
  readonly PLANT_STORE_TOKEN: string;
}

export default {
  /** Stores the plant of a request, `{ "id": "9000000000000008001", "name": "Rose" }`. */
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const { id, name } = Object(await request.json().catch(() => undefined));
    if (typeof id !== 'string' || !/^-?\d+$/.test(id) || typeof name !== 'string') {
      return message(400, 'A plant needs `id`, an integer as text, and `name`.');
    }
    try {
      const client = createClient({ baseUrl: env.PLANT_STORE_URL, token: env.PLANT_STORE_TOKEN });
      const reply = await client.createPlant({ body: { id: BigInt(id), name }, timeoutMs: 20_000 });
      if (reply.status === 200) return Response.json({ id, replayed: reply.replayed });
      if (reply.status === 400) return message(422, reply.body.message);
      console.error(reply.status, reply.body.error, reply.body.message, reply.requestId);
    } catch (error) {
      if (!isPlantStoreError(error)) throw error;
      console.error(error.message);
    }
    return message(502, 'The plant store cannot store plants right now. Send the same plant again later.');
  },
};

function message(status: number, text: string): Response {
  return Response.json({ message: text }, { status });
}
