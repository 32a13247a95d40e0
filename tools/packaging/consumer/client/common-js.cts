// In CommonJS with every version of TypeScript; common-js/ has what the newer ones compile.
async function run(): Promise<void> {
  const { createClient } = await import('@plant-store/client');
  const { createFakePlantStore } = await import('@plant-store/client/testing');
  const reply = await createClient(createFakePlantStore()).createPlant({ body: { id: 1n, name: 'Rose' } });
  if (reply.status !== 200) throw new Error(reply.body.message);
}

void run();
