import { contract } from '@plant-store/contract';
import { parseQuery } from '@plant-store/contract/request-target';
import { ContractNoBody } from '@ts-rest/core';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import type { Express, NextFunction, RequestHandler, Response } from 'express';
import type { PlantReader, PlantWriter } from '../../plants/plant-store.js';
import { createPlantHandler } from './create-plant.js';

type Name = keyof typeof contract;

/** What operations depend on. */
export interface OperationDependencies {
  /** What operations write through. */
  readonly plants: PlantWriter;
  /** What operations read from. */
  readonly store: PlantReader;
}

/** The middleware that every operation has, and that which it has by what the contract declares of it. */
export interface OperationMiddleware {
  /** Comes first, in this order. */
  readonly all: readonly RequestHandler[];
  /** For an operation that may change what is stored. */
  readonly write: RequestHandler;
  /** For an operation with a body. */
  readonly body: RequestHandler;
}

/**
 * Middleware as ts-rest takes it for any operation. It types a request by the operation's schemas, as which it is not
 * validated yet when middleware runs.
 */
type OperationHandler = (request: object, response: Response, next: NextFunction) => void;

/** What ts-rest is given of an operation. The middleware is always named, so that none is left out by mistake. */
type OperationOptions = {
  [Key in Name]: {
    readonly middleware: OperationHandler[];
    readonly handler: AppRouteImplementation<(typeof contract)[Key]>;
  };
};

/** Mounts the operations of the contract, each with the middleware that it needs and the code that answers it. */
export function mountOperations(
  app: Express,
  dependencies: OperationDependencies,
  middleware: OperationMiddleware,
): void {
  const middlewareOf = (name: Name): OperationHandler[] => [
    ...(contract[name].metadata.access === 'write' ? [middleware.write as OperationHandler] : []),
    ...(hasBody(contract[name]) ? [middleware.body as OperationHandler] : []),
  ];
  const operations: OperationOptions = {
    createPlant: {
      middleware: middlewareOf('createPlant'),
      handler: createPlantHandler(dependencies.plants),
    },
  };

  app.set(
    'query parser',
    Object.values(contract).some(hasQuery) && ((text?: string) => parseQuery(text ?? '')),
  );
  createExpressEndpoints(contract, initServer().router(contract, operations), app, {
    logInitialization: false,
    globalMiddleware: middleware.all.map((handler) => handler as OperationHandler),
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
  });
}

function hasBody(route: object): boolean {
  return 'body' in route && route.body !== ContractNoBody;
}

function hasQuery(route: object): boolean {
  return 'query' in route;
}
