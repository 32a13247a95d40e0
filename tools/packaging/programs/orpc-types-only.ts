import { createORPCClient, safe } from '@orpc/client';
import { type ContractRouterClient, oc, type } from '@orpc/contract';
import { OpenAPILink } from '@orpc/openapi-client/fetch';

interface Plant {
  readonly name: string;
  readonly tag?: string;
}
interface NewPlant extends Plant {
  readonly id: number;
}

const contract = {
  createPlant: oc.route({ method: 'POST', path: '/plants' }).input(type<NewPlant>()).output(type<Plant>()),
};

export async function createRose(token: string): Promise<string> {
  const link = new OpenAPILink(contract, {
    url: 'http://127.0.0.1:3000',
    headers: { authorization: `Bearer ${token}` },
  });
  const client: ContractRouterClient<typeof contract> = createORPCClient(link);
  const { error, data } = await safe(client.createPlant({ id: 1, name: 'Rose' }));
  return error ? error.message : data.name;
}
