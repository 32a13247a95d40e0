import { contract, type Operation, type RecordOperation } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { Request, Response } from 'express';
import { type TokenVerifier, tokenRejections, type Verification } from '../auth/token-service.js';
import { addGauge, createCounter } from './metrics.js';

/** The paths of the operations that create one record, and of those that create many. */
const createPaths = { one: pathsOf('create'), many: pathsOf('createMany') };

function pathsOf(operation: RecordOperation): ReadonlySet<string> {
  const creating = Object.values<Operation>(contract).filter(
    ({ metadata }) => metadata.operation === operation,
  );
  return new Set(creating.map(({ path }) => path));
}

const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures requests and counts the outcomes of creates. Call `onBegin` and `onEnd` for each request. */
export function measureRequests(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'plant_store_http_requests_total',
    help: 'Finished requests, by method, route, status, and error number',
    labelNames: ['method', 'route', 'status', 'error'],
    registers,
  });
  const durations = new Histogram({
    name: 'plant_store_http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its reply, by route',
    labelNames: ['route'],
    buckets: durationBuckets,
    registers,
  });
  let inFlight = 0;
  addGauge(registry, {
    name: 'plant_store_http_requests_in_flight',
    help: 'Requests in flight',
    read: () => inFlight,
  });
  const countCreate = createCounter(registry, {
    name: 'plant_store_creates_total',
    help: 'Finished creates, by outcome: stored, replayed, cut_off, or the error name',
    labelName: 'outcome',
    initial: ['stored', 'replayed', 'cut_off', ...Object.keys(errors)],
  });

  return {
    onBegin() {
      inFlight++;
    },
    onEnd(request: Request, response: Response, durationMs: number) {
      inFlight--;
      const route = response.locals.route ?? routeOf(request) ?? 'other';
      const status = response.writableFinished ? response.statusCode : 0;
      const { error, outcomes } = response.locals;
      requests.inc({ method: request.method, route, status, error: error?.number ?? '' });
      durations.observe({ route }, durationMs / 1_000);
      if (request.method !== 'POST') return;
      if (createPaths.many.has(route) && outcomes !== undefined) {
        for (const [outcome, records] of Object.entries(outcomes))
          countCreate(response.writableFinished ? outcome : 'cut_off', records);
      } else if (createPaths.one.has(route)) {
        countCreate(outcomeOf(response));
      }
    },
  };
}

/** Returns the matching route's path, such as `/openapi.json`; `undefined` if no route matches. */
export function routeOf({ route }: Request): string | undefined {
  const path: unknown = route?.path;
  return typeof path === 'string' ? path : undefined;
}

function outcomeOf(response: Response): string {
  const { error, replayed } = response.locals;
  if (error !== undefined) return error.errorName;
  if (!response.writableFinished) return 'cut_off';
  return replayed ? 'replayed' : 'stored';
}

/** Counts token verifications by outcome, and how many of them needed a look-up. */
export function countTokenChecks<Tokens extends TokenVerifier>(
  accessTokens: Tokens,
  registry: Registry,
): Tokens {
  const outcomes = ['valid', ...Object.keys(tokenRejections), 'insufficient_scope'];
  const countOutcome = createCounter(registry, {
    name: 'plant_store_token_checks_total',
    help: `Access token verifications, by outcome: ${outcomes.join(', ')}`,
    labelName: 'outcome',
    initial: outcomes,
  });
  const count = (verification: Verification) => {
    countOutcome(verification.status);
    return verification;
  };
  const lookups = new Counter({
    name: 'plant_store_token_lookups_total',
    help: 'Token verifications that missed the cache and read the database or checked a signature',
    registers: [registry],
  });
  return {
    ...accessTokens,
    verifyCached(text) {
      const verification = accessTokens.verifyCached(text);
      return verification && count(verification);
    },
    verify(text) {
      const verification = accessTokens.verify(text);
      if (!(verification instanceof Promise)) return count(verification);
      lookups.inc();
      return verification.then(count);
    },
  };
}
