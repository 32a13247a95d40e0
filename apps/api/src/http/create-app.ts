import { contract, routes } from '@plant-store/contract';
import { createExpressEndpoints } from '@ts-rest/express';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { AccessTokens } from '../auth/access-tokens.js';
import type { PlantWriter } from '../plants/plant-writer.js';
import { authenticate } from './authenticate.js';
import { createBodyBudget } from './body-budget.js';
import { crossOrigin } from './cross-origin.js';
import { documentation } from './documentation.js';
import { inTurn } from './in-turn.js';
import { jsonBody } from './json-body.js';
import { limitHeaderLines } from './limit-header-lines.js';
import { methodNotAllowed } from './method-not-allowed.js';
import { notFound } from './not-found.js';
import { plantEndpoints } from './plant-endpoints.js';
import { rateLimit } from './rate-limit.js';
import { createRefusalLog } from './refusal-log.js';
import { refuseWhenFull } from './refuse-when-full.js';
import { refuseWhenStopping } from './refuse-when-stopping.js';
import { replyWithError } from './reply-with-error.js';
import { requestId } from './request-id.js';
import { requestLog } from './request-log.js';
import { requireValidTarget } from './request-target.js';
import { requireHost } from './require-host.js';
import { sendJsonAtOnce } from './send-json.js';

/** What an app is made of. */
export interface AppParts {
  readonly plants: PlantWriter;
  readonly accessTokens: AccessTokens;
  readonly log: Logger;
  /** The largest request body that is read, in bytes. */
  readonly bodyLimitBytes: number;
  /** How much all bodies that are being read may hold together, in bytes. */
  readonly bodiesLimitBytes: number;
  /** Requests that one access token may make in a minute; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** Origins whose pages may call the service from a browser; with none there are no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** Aborted once the service is told to stop. */
  readonly stopping: AbortSignal;
}

/**
 * The app: everything between a request and its reply, in the order in which a request meets it. Faults are
 * reported in that order too: path, method, token, content type, size, JSON, shape, taken id.
 */
export async function createApp(parts: AppParts): Promise<Express> {
  const app = express();
  app.enable('case sensitive routing').enable('strict routing').disable('x-powered-by').disable('etag');
  // No operation takes a query, so none is parsed.
  app.disable('query parser');

  sendJsonAtOnce(app);

  app.use(
    inTurn(
      requestId(),
      requestLog(parts.log),
      limitHeaderLines,
      requireHost,
      ...(parts.corsOrigins.length > 0 ? [crossOrigin(parts.corsOrigins)] : []),
      refuseWhenStopping(parts.stopping),
      requireValidTarget,
    ),
  );

  createExpressEndpoints(contract, plantEndpoints(parts.plants), app, {
    logInitialization: false,
    globalMiddleware: [
      authenticate(parts.accessTokens),
      ...(parts.rateLimitPerMinute > 0 ? [await rateLimit(parts.rateLimitPerMinute)] : []),
      refuseWhenFull(parts.plants),
      jsonBody(parts.bodyLimitBytes, createBodyBudget(parts.bodiesLimitBytes)),
    ],
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
  });
  const operations = Object.values(routes);
  for (const { path } of operations) {
    app.all(
      path,
      methodNotAllowed(operations.filter((other) => other.path === path).map(({ method }) => method)),
    );
  }

  app.use(documentation());
  app.use(notFound);
  app.use(replyWithError(parts.log, createRefusalLog(parts.log, parts.stopping)));
  return app;
}
