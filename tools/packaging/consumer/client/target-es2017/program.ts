// With the target of a new project of Next.js.
import { createClient, type Plant } from '@plant-store/client';

// @ts-expect-error A bigint literal needs the target ES2020.
export const literal: bigint = 1n;

export async function readPlant(id: string): Promise<Plant | undefined> {
  const client = createClient({ baseUrl: 'https://plants.example.com', token: 'pst_example' });
  const reply = await client.getPlant({ params: { id: BigInt(id) } });
  return reply.status === 200 ? reply.body : undefined;
}
