import { contract, type RecordMetadata } from '@plant-store/contract';
import { matchPath, parseQuery } from '@plant-store/contract/request-target';
import { routes } from '@plant-store/contract/routes';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import type { Express, NextFunction, RequestHandler, Response } from 'express';
import { createRecordHandlers, type RecordDependencies } from './records.js';
import { createTokenHandlers, type TokenDependencies, type TokenHandlers } from './tokens.js';

type Name = keyof typeof contract;

/** What operations depend on. */
export interface OperationDependencies extends RecordDependencies, TokenDependencies {}

/** What the contract has of an operation. */
export type Operation = (typeof contract)[Name];

/**
 * Middleware as ts-rest takes it for any operation. It types a request by the operation's schemas, as which it is not
 * validated yet when middleware runs.
 */
type OperationHandler = (request: object, response: Response, next: NextFunction) => void;

/** The code that answers each operation. */
type Handlers = { readonly [Key in Name]: AppRouteImplementation<(typeof contract)[Key]> };

/** The handlers of the operations of records. Those of tokens must be all others. */
type RecordHandlers = {
  readonly [Key in Name as (typeof contract)[Key]['metadata'] extends RecordMetadata
    ? Key
    : never]: Handlers[Key];
};

/**
 * Mounts the operations of the contract, each with the code that answers it.
 *
 * @param middlewareOf returns what comes before the code of an operation, in order
 */
export function mountOperations(
  app: Express,
  dependencies: OperationDependencies,
  middlewareOf: (operation: Operation) => readonly RequestHandler[],
): void {
  const handlerOf = createRecordHandlers(dependencies);
  const ofRecords = Object.entries<Operation>(contract).flatMap(([name, { metadata }]) =>
    metadata.resource === undefined ? [] : [[name, handlerOf(metadata)]],
  );
  const handlers: Handlers = {
    // The schemas of the contract have validated what these take, and the conformance suites what they return.
    ...(Object.fromEntries(ofRecords) as RecordHandlers),
    ...(createTokenHandlers(dependencies) satisfies TokenHandlers),
  };

  app.set('query parser', (text?: string) => parseQuery(text ?? ''));
  writeExactIntegers();
  // Express takes the first route that matches; the fake plant store, 404 and 405 go by the same order.
  const operations = Object.fromEntries(
    (Object.keys(routes) as Name[]).map((name) => {
      const operation = contract[name];
      const own = 'pathParams' in operation ? [keepPathParameters] : [];
      return [name, { middleware: [...middlewareOf(operation), ...own], handler: handlers[name] }];
    }),
  ) as { [Key in Name]: { middleware: OperationHandler[]; handler: Handlers[Key] } };
  createExpressEndpoints(contract, initServer().router(contract, operations), app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
  });
}

/** Gives parameters in the path as they were sent: a value has one spelling there, and Express decodes any other to it. */
const keepPathParameters: RequestHandler = (request, _response, next) => {
  if (request.path.includes('%')) request.params = { ...matchPath(request.path)[0]?.params };
  next();
};

/**
 * Makes `JSON.stringify` write each `bigint` of this process as its digits, so that an id of any size is exact; by itself it
 * throws. A replacer would run for each value of a reply, and a page of records would take twice as long.
 */
function writeExactIntegers(): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return json.rawJSON(String(this));
    },
  });
}

/** Its types do not have `JSON.rawJSON` yet, which Node.js 22 has (https://github.com/tc39/proposal-json-parse-with-source). */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
