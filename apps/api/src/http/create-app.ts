import { jsonShapeOf } from '@plant-store/contract';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { JwtSettings } from '../auth/jwt-settings.js';
import type { Config } from '../config.js';
import { measureRequests } from '../observe/measure-requests.js';
import type { RequestTraces } from '../observe/otlp.js';
import { createRejectionLog } from '../observe/rejection-log.js';
import { createCallerMemory } from './caller-memory.js';
import { completeJson, sendJson } from './fast-path.js';
import { jsonBody, withoutMembers } from './json-body.js';
import { bearerAuth, requireScope } from './middleware/bearer-auth.js';
import { cors, logRefusedOrigins } from './middleware/cors.js';
import { errorHandler, notFound, rejectOtherMethods } from './middleware/error-handler.js';
import { type LimitDependencies, limitAuthentication } from './middleware/limit-authentication.js';
import { rejectDuringShutdown, rejectWhenFull, type Shutdown } from './middleware/overload.js';
import { rateLimit } from './middleware/rate-limit.js';
import { checkHeaders, requireValidTarget } from './middleware/request-head.js';
import { requestLogger } from './middleware/request-logger.js';
import { type ClientPackage, client, docs, type Page, page } from './routes/built-files.js';
import { mountOperations, type OperationDependencies } from './routes/operations.js';
import { isWrite } from './routes/records.js';
import { commonHeaders } from './security-headers.js';

type AppSettings = Pick<
  Config,
  | 'requestLogShare'
  | 'bodyLimitBytes'
  | 'bodyMemoryLimitBytes'
  | 'rateLimitPerMinute'
  | 'trustedProxies'
  | 'corsOrigins'
  | 'ignoredFields'
  | 'fastPath'
>;

export interface AppDependencies
  extends AppSettings,
    Omit<OperationDependencies, 'memory'>,
    LimitDependencies,
    Shutdown {
  readonly jwt?: Pick<JwtSettings, 'scopes'> | undefined;
  readonly log: Logger;
  readonly traces?: RequestTraces | undefined;
  readonly page?: Page | undefined;
  readonly client?: ClientPackage | undefined;
}

/**
 * The app: everything between a request and its reply, in the order in which it happens. Errors are reported in that
 * order, too: see docs/use/api.md, "Which error is reported".
 */
export function createApp(dependencies: AppDependencies): Express {
  const { queue, accessTokens, log, corsOrigins, stopping, fastPath } = dependencies;
  const { metrics, requestLogShare, bodyLimitBytes, bodyMemoryLimitBytes, rateLimitPerMinute } = dependencies;
  const { trustedProxies, turns, ignoredFields, workers, traces } = dependencies;
  const app = express();
  app.enable('case sensitive routing').enable('strict routing').disable('x-powered-by').disable('etag');
  app.set('trust proxy', trustedProxies);
  const memory = createCallerMemory(bodyMemoryLimitBytes);
  if (fastPath) sendJson(app, memory);

  app.use(
    requestLogger(log, requestLogShare, metrics && measureRequests(metrics), traces),
    ...(fastPath ? [] : [commonHeaders, completeJson(memory)]),
    checkHeaders,
    ...(corsOrigins.length > 0 ? [cors(corsOrigins)] : []),
    rejectDuringShutdown(dependencies),
    requireValidTarget,
  );

  const limit = rateLimit(rateLimitPerMinute, workers);
  const authenticate = bearerAuth(accessTokens, limitAuthentication(dependencies), dependencies.callers);
  mountOperations(app, { ...dependencies, memory, countBatch: limit.countBatch }, (operation) => {
    const { metadata } = operation;
    const { scope } = metadata;
    // Ignoring a field of a token, such as its expiry, would grant more than intended.
    const ignored = metadata.resource ? ignoredFields[metadata.resource] : [];
    const shape = 'body' in operation && withoutMembers(jsonShapeOf(operation.body), ignored);
    return [
      authenticate,
      limit.middleware,
      ...(scope ? [requireScope(scope, dependencies.jwt?.scopes[scope])] : []),
      ...(isWrite(metadata) ? [rejectWhenFull(queue)] : []),
      ...(shape ? [jsonBody(shape, bodyLimitBytes, memory, turns)] : []),
    ];
  });
  // After the operations, so that it does not run for them.
  app.use(logRefusedOrigins(log));
  app.use(rejectOtherMethods);

  if (dependencies.page !== undefined) app.use(page(dependencies.page));
  if (dependencies.client !== undefined) app.use(client(dependencies.client));
  app.use(docs({ hasPage: dependencies.page !== undefined, hasClient: dependencies.client !== undefined }));
  app.use(notFound);
  app.use(errorHandler(log, createRejectionLog(log, stopping, metrics), dependencies.page !== undefined));
  return app;
}
