import { NewPlantSchema } from '@plant-store/contract';
import { initTRPC } from '@trpc/server';

const t = initTRPC.create();

/** What a tRPC client takes its types from; a client does not load it. */
export const router = t.router({
  createPlant: t.procedure.input(NewPlantSchema).mutation(({ input: { name, tag } }) => ({ name, tag })),
});
