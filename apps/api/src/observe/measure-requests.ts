import { errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import type { Request, Response } from 'express';
import type { Registry } from 'prom-client';
import { createCounter } from './create-counter.js';
import { createHistogram } from './create-histogram.js';
import { addGauge } from './metrics.js';

/** From half a millisecond to ten seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const errorNames = new Map(Object.entries(errors).map(([name, { error }]) => [error as number, name]));

/** Measures requests and counts the outcomes of creates; `onBegin` and `onEnd` are to be called with each request. */
export function measureRequests(registry: Registry) {
  const countRequest = createCounter(registry, {
    name: 'plant_store_http_requests_total',
    help: 'Requests that are over, by method, route, status and error number',
    labels: ['method', 'route', 'status', 'error'],
  });
  const observeDuration = createHistogram(registry, {
    name: 'plant_store_http_request_duration_seconds',
    help: 'Time from the beginning of the handling of a request to the end of its reply, by route',
    label: 'route',
    buckets: durationBuckets,
  });
  let inFlight = 0;
  addGauge(registry, {
    name: 'plant_store_http_requests_in_flight',
    help: 'Requests that are being handled',
    read: () => inFlight,
  });
  const countCreate = createCounter(
    registry,
    {
      name: 'plant_store_creates_total',
      help: 'Creates that are over, by outcome: stored, replayed, cut_off, or the name of the error',
      labels: ['outcome'],
    },
    ['stored', 'replayed', 'cut_off', ...errorNames.values()],
  );

  return {
    onBegin() {
      inFlight++;
    },
    onEnd(request: Request, response: Response, durationMs: number) {
      inFlight--;
      const route = response.locals.route ?? routeOf(request);
      const status = response.writableFinished ? response.statusCode : 0;
      countRequest(request.method, route, status, response.locals.error ?? '');
      observeDuration(durationMs / 1_000, route);
      if (route === routes.createPlant.path) countCreate(outcomeOf(response));
    },
  };
}

/** The path of the matching route, such as `/plants`; `other` where none matches, so that a stranger cannot add labels. */
function routeOf({ route }: Request): string {
  const path: unknown = route?.path;
  return typeof path === 'string' ? path : 'other';
}

function outcomeOf(response: Response): string {
  const { error } = response.locals;
  if (error !== undefined) return errorNames.get(error) ?? 'other';
  if (!response.writableFinished) return 'cut_off';
  return response.hasHeader('Idempotent-Replayed') ? 'replayed' : 'stored';
}
