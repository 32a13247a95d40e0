import { contract } from '@plant-store/contract';
import { matchPath, parseQuery } from '@plant-store/contract/request-target';
import { routes } from '@plant-store/contract/routes';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import type { Express, NextFunction, RequestHandler, Response } from 'express';
import { createRecordHandlers, type RecordDependencies } from './records.js';
import { createTokenHandlers, type TokenDependencies, type TokenHandlers } from './tokens.js';

type Name = keyof typeof contract;

export interface OperationDependencies extends RecordDependencies, TokenDependencies {}

export type Operation = (typeof contract)[Name];

/**
 * Middleware in the form that ts-rest accepts for any operation. ts-rest types the request by the operation's schemas, but it is not
 * validated yet when middleware runs.
 */
type OperationHandler = (request: object, response: Response, next: NextFunction) => void;

type Handlers = { readonly [Key in Name]: AppRouteImplementation<(typeof contract)[Key]> };

/** Mounts the operations of the contract, each with the code that answers it behind its middleware. */
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
    // The contract's schemas validate the arguments of these handlers, and the conformance suites their results.
    ...(Object.fromEntries(ofRecords) as Omit<Handlers, keyof TokenHandlers>),
    ...createTokenHandlers(dependencies),
  };

  app.set('query parser', (text?: string) => parseQuery(text ?? ''));
  writeExactIntegers();
  // Express uses the first route that matches. The fake plant store, and the replies 404 and 405, follow the same order.
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

/** Passes path parameters exactly as sent. A value has only one valid spelling, but Express would decode others to it. */
const keepPathParameters: RequestHandler = (request, _response, next) => {
  if (request.path.includes('%')) request.params = { ...matchPath(request.path)[0]?.params };
  next();
};

/**
 * Makes `JSON.stringify` write each `bigint` in this process as its digits, so that an id of any size is exact; by default it throws. A
 * replacer function would run for each value of a reply, and double the time for a page of records.
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
