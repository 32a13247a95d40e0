import { useInfiniteQuery } from '@tanstack/react-query';
import { PlantItem } from './plant-item';
import { explain, isAway, plantStore } from './plant-store';

/** The plants, page by page, the newest first. */
export function Plants() {
  const { data, failureReason, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...plantStore.listPlants.infiniteQueryOptions({ query: { order: 'newest', limit: 20 } }),
    // Where the client has given up, the page goes on until the service is back.
    retry: (_, error) => isAway(error),
    retryDelay: 2_000,
  });
  const plants = data?.pages.flatMap((page) => page.plants) ?? [];
  return (
    <>
      {failureReason && <p role="alert">{explain(failureReason)}</p>}
      <ul>
        {plants.map((plant) => (
          <PlantItem key={plant.id} plant={plant} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()} disabled={isFetchingNextPage}>
          More
        </button>
      )}
    </>
  );
}
