// The options of a mutation as a component takes them, compiled with each TypeScript.
import { createClient, type ErrorNumber, errors } from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
import { useMutation } from '@tanstack/react-query';

const plantStore = createTanstackQueryUtils(
  createClient({ baseUrl: 'https://plants.example.com', token: 'pst_example' }),
);

export function useCreatePlant(): string | undefined {
  const { mutate, data, error } = useMutation({
    ...plantStore.createPlant.mutationOptions(),
    onSuccess: ({ name }: { readonly name: string }) => name,
  });
  mutate({ body: { id: 9223372036854775807n, name: 'Rose' } });
  if (isRejectedError(error, errors.id_taken.error)) {
    const taken: ErrorNumber<400> = error.number;
    return `${taken} ${error.message}`;
  }
  return data?.name;
}
