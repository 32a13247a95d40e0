import { createClient, isPlantStoreError } from '@plant-store/client';

const [id = '', name, tag] = Deno.args;
if (!/^-?\d+$/.test(id) || name === undefined) {
  console.error('Usage: deno run add-plant.ts <id> <name> [tag]');
  Deno.exit(2);
}
try {
  const client = createClient({
    baseUrl: Deno.env.get('PLANT_STORE_URL') ?? 'http://127.0.0.1:3000',
    token: Deno.env.get('PLANT_STORE_TOKEN') ?? '',
  });
  const reply = await client.createPlant({
    body: { id: BigInt(id), name, ...(tag !== undefined && { tag }) },
  });
  if (reply.status === 200) {
    console.log(`${id} ${reply.replayed ? 'was there already' : 'is stored'}`);
  } else {
    console.error(`${id} is rejected: ${reply.body.message} (error ${reply.body.error})`);
    Deno.exitCode = 1;
  }
} catch (error) {
  const advice = isPlantStoreError(error) ? ' Run the same command again: nothing is stored twice.' : '';
  console.error(`${error instanceof Error ? error.message : error}.${advice}`);
  Deno.exitCode = 1;
}
