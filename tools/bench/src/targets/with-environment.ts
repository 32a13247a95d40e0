import type { Target } from './target.js';

/** A target with further environment variables. */
export function withEnvironment(target: Target, environment: Readonly<Record<string, string>>): Target {
  return {
    ...target,
    async prepare(databaseUrl) {
      const launch = await target.prepare(databaseUrl);
      return { ...launch, environment: { ...launch.environment, ...environment } };
    },
  };
}

/** The targets, with a number of worker processes for the service; without a number, as they are. */
export function withWorkers(targets: readonly Target[], workers: number | undefined): readonly Target[] {
  if (workers === undefined) return targets;
  return targets.map((target) =>
    target.name === 'plant-store'
      ? withEnvironment(
          { ...target, about: `${target.about} WORKERS=${workers}.` },
          { WORKERS: String(workers) },
        )
      : target,
  );
}
