import { NewPlantSchema } from '@plant-store/contract';
import { initTRPC } from '@trpc/server';

const t = initTRPC.create();

/** Only its type is used by a tRPC client, which does not load it. */
export const router = t.router({
  createPlant: t.procedure.input(NewPlantSchema).mutation(({ input: { name, tag } }) => ({ name, tag })),
});
