import { expect, it, vi } from 'vitest';

it('checks a plant without compiling code, which the Content-Security-Policy forbids', async () => {
  const compile = vi.spyOn(globalThis, 'Function');
  const { NewPlantSchema } = await import('./plant-schema.js');
  expect(NewPlantSchema.safeParse({ id: 1n, name: 'Fern' }).success).toBe(true);
  expect(compile).not.toHaveBeenCalled();
  compile.mockRestore();
});
