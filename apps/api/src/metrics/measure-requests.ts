import { errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import type { Request, RequestHandler, Response } from 'express';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createCounter } from './create-registry.js';

/** From half a millisecond to ten seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const errorNames = new Map(Object.entries(errors).map(([name, { error }]) => [error as number, name]));

/** Creates middleware that measures requests, and counts the outcomes of creates. */
export function measureRequests(registry: Registry): RequestHandler {
  const registers = [registry];
  const requests = new Counter({
    name: 'plant_store_http_requests_total',
    help: 'Requests that are over, by method, route, status and error number',
    labelNames: ['method', 'route', 'status', 'error'],
    registers,
  });
  const durations = new Histogram({
    name: 'plant_store_http_request_duration_seconds',
    help: 'Time from the beginning of the handling of a request to the end of its reply, by route',
    labelNames: ['route'],
    buckets: durationBuckets,
    registers,
  });
  const inFlight = new Gauge({
    name: 'plant_store_http_requests_in_flight',
    help: 'Requests that are being handled',
    registers,
  });
  const creates = createCounter(
    registry,
    {
      name: 'plant_store_creates_total',
      help: 'Creates that are over, by outcome: stored, replayed, cut_off, or the name of the error',
    },
    'outcome',
    ['stored', 'replayed', 'cut_off', ...errorNames.values()],
  );

  return function measureRequest(request, response, next) {
    const startedAt = performance.now();
    inFlight.inc();
    response.on('close', () => {
      inFlight.dec();
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 0;
      requests.inc({ method: request.method, route, status, error: response.locals.error ?? '' });
      durations.observe({ route }, (performance.now() - startedAt) / 1_000);
      if (route === routes.createPlant.path) creates.inc({ outcome: outcomeOf(response) });
    });
    next();
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
