import { contract, jsonShapeOf } from '@plant-store/contract';
import { parseQuery } from '@plant-store/contract/request-target';
import { routes } from '@plant-store/contract/routes';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import express, { type Express, type NextFunction, type RequestHandler, type Response } from 'express';
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
import { checkHeaders, keepPathParameters, requireValidTarget } from './middleware/request-head.js';
import { requestLogger } from './middleware/request-logger.js';
import { type ClientPackage, client, docs, type Page, page } from './routes/built-files.js';
import { createRecordHandlers, isWrite, type RecordDependencies } from './routes/records.js';
import { createTokenHandlers, type TokenDependencies, type TokenHandlers } from './routes/tokens.js';
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
    Omit<RecordDependencies, 'memory'>,
    TokenDependencies,
    LimitDependencies,
    Shutdown {
  readonly jwt?: Pick<JwtSettings, 'scopes'> | undefined;
  readonly log: Logger;
  readonly traces?: RequestTraces | undefined;
  readonly page?: Page | undefined;
  readonly client?: ClientPackage | undefined;
}

/**
 * Creates the app: everything between a request and its reply, in the order in which it runs. Errors are reported in the same order: see
 * docs/use/api.md, "Which error is reported".
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
  // Mounted after the operations, so that it does not run for their requests.
  app.use(logRefusedOrigins(log));
  app.use(rejectOtherMethods);

  if (dependencies.page !== undefined) app.use(page(dependencies.page));
  if (dependencies.client !== undefined) app.use(client(dependencies.client));
  app.use(docs({ hasPage: dependencies.page !== undefined, hasClient: dependencies.client !== undefined }));
  app.use(notFound);
  app.use(errorHandler(log, createRejectionLog(log, stopping, metrics), dependencies.page !== undefined));
  return app;
}

type OperationName = keyof typeof contract;
type Operation = (typeof contract)[OperationName];

/**
 * Middleware in the form that ts-rest accepts for any operation. ts-rest types the request by the operation's schemas, but the request is
 * not validated yet when middleware runs.
 */
type OperationHandler = (request: object, response: Response, next: NextFunction) => void;

type Handlers = { readonly [Key in OperationName]: AppRouteImplementation<(typeof contract)[Key]> };

/** Mounts the contract's operations, each with its middleware and handler. */
function mountOperations(
  app: Express,
  dependencies: RecordDependencies & TokenDependencies,
  middlewareOf: (operation: Operation) => readonly RequestHandler[],
): void {
  const recordHandlerOf = createRecordHandlers(dependencies);
  const recordHandlers = Object.entries<Operation>(contract).flatMap(([name, { metadata }]) =>
    metadata.resource === undefined ? [] : [[name, recordHandlerOf(metadata)]],
  );
  const handlers: Handlers = {
    // The contract's schemas validate these handlers' arguments, and the conformance suites check their results.
    ...(Object.fromEntries(recordHandlers) as Omit<Handlers, keyof TokenHandlers>),
    ...createTokenHandlers(dependencies),
  };

  app.set('query parser', parseQuery);
  writeExactIntegers();
  // Express uses the first matching route. The fake plant store and the 404 and 405 replies follow the same order.
  const operations = Object.fromEntries(
    (Object.keys(routes) as OperationName[]).map((name) => {
      const operation = contract[name];
      const parameters = 'pathParams' in operation ? [keepPathParameters] : [];
      return [name, { middleware: [...middlewareOf(operation), ...parameters], handler: handlers[name] }];
    }),
  ) as { [Key in OperationName]: { middleware: OperationHandler[]; handler: Handlers[Key] } };
  createExpressEndpoints(contract, initServer().router(contract, operations), app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
  });
}

/**
 * Makes `JSON.stringify` write each `bigint` in this process as its digits, so that an ID of any size is exact. By default, a `bigint`
 * throws. A replacer function would run for each value of a reply, and double the time for a page of records.
 */
function writeExactIntegers(): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return json.rawJSON(String(this));
    },
  });
}

/** Node.js 22 has `JSON.rawJSON`, but TypeScript has no type for it yet (https://github.com/tc39/proposal-json-parse-with-source). */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
