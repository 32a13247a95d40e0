import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { router } from './trpc-router.js';

export async function createRose(token: string): Promise<string> {
  const client = createTRPCClient<typeof router>({
    links: [httpLink({ url: 'http://127.0.0.1:3000', headers: { authorization: `Bearer ${token}` } })],
  });
  try {
    return (await client.createPlant.mutate({ id: 1, name: 'Rose' })).name;
  } catch (error) {
    if (error instanceof TRPCClientError) return error.message;
    throw error;
  }
}
