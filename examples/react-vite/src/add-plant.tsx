import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { explain, plantLists, plantStore } from './plant-store';

/** A form whose id is made up once for each plant, not for each try, so that trying again stores nothing twice. */
export function AddPlant() {
  const queryClient = useQueryClient();
  const [id, setId] = useState(makeUpId);
  const [name, setName] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    ...plantStore.createPlant.mutationOptions(),
    onSuccess: () => {
      setId(makeUpId());
      setName('');
    },
    onSettled: () => {
      void queryClient.invalidateQueries(plantLists);
    },
  });

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // As a `bigint`, since a `number` would be rounded beyond 2^53.
    mutate({ body: { id: BigInt(id), name } });
  };

  return (
    <form onSubmit={submit}>
      <label>
        Id{' '}
        <input
          value={id}
          onChange={(event) => setId(event.target.value)}
          inputMode="numeric"
          pattern="-?[0-9]+"
          required
        />
      </label>{' '}
      <label>
        Name <input value={name} onChange={(event) => setName(event.target.value)} required />
      </label>{' '}
      <button type="submit" disabled={isPending}>
        Add
      </button>{' '}
      <output aria-live="polite">{error ? explain(error) : data && `${data.name} is stored.`}</output>
    </form>
  );
}

/** A random id of 63 bits, as text. */
function makeUpId(): string {
  const [random = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return String(random >> 1n);
}
