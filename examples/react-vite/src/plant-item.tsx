import { type StoredPlant, startEdit } from '@plant-store/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { EditPlant } from './edit-plant';
import { explain, plantLists, plantStore } from './plant-store';

/** How long a delete can be undone, in milliseconds. */
const deleteDelayMs = 5_000;

/** A plant that can be edited and deleted. A delete waits until it is too late for an undo, since the service has none. */
export function PlantItem({ plant: { id, name } }: { readonly plant: StoredPlant }) {
  const queryClient = useQueryClient();
  const [canUndo, setCanUndo] = useState(false);
  const { mutate, error, isPending, isSuccess } = useMutation({
    ...plantStore.deletePlant.mutationOptions(),
    onSettled: () => {
      void queryClient.invalidateQueries(plantLists);
    },
  });
  // A mutation, since its data never refetches: the edit is what the person saw when the form opened.
  const opening = useMutation(plantStore.getPlant.mutationOptions({ select: startEdit }));

  useEffect(() => {
    if (!canUndo) return;
    const send = () => {
      setCanUndo(false);
      // Alive beyond the page: what the person has left as deleted is deleted.
      mutate({ params: { id }, fetchOptions: { keepalive: true } });
    };
    const timer = setTimeout(send, deleteDelayMs);
    addEventListener('pagehide', send);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', send);
    };
  }, [canUndo, id, mutate]);

  const action = canUndo ? 'Undo' : 'Delete';
  return (
    <li>
      {canUndo ? <s>{name}</s> : name} <small>{id}</small>{' '}
      <button
        type="button"
        aria-label={`Edit ${name}, id ${id}`}
        onClick={() => opening.mutate({ params: { id } })}
        disabled={canUndo || isPending || isSuccess || opening.isPending || opening.isSuccess}
      >
        Edit
      </button>{' '}
      <button
        type="button"
        aria-label={`${action} ${name}, id ${id}`}
        onClick={() => setCanUndo(!canUndo)}
        disabled={isPending || isSuccess}
      >
        {action}
      </button>{' '}
      {error && !canUndo && <span role="alert">{explain(error)}</span>}
      {opening.error && <span role="alert">{explain(opening.error)}</span>}
      {opening.data && <EditPlant edit={opening.data} onClose={opening.reset} />}
    </li>
  );
}
