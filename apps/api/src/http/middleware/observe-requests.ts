import type { Request, RequestHandler, Response } from 'express';

/** Is notified of every request. */
export interface RequestObserver {
  /** Called when the handling of a request begins. */
  onBegin?(): void;
  /**
   * Called when a request is over: its reply is sent, or its client gone.
   *
   * @param durationMs the time since its handling began, in milliseconds
   */
  onEnd(request: Request, response: Response, durationMs: number): void;
}

/** Notifies observers of requests. All share one clock and one listener, which cost as much as what most observers do. */
export function observeRequests(observers: readonly RequestObserver[]): RequestHandler {
  return function observeRequest(request, response, next) {
    const startedAt = performance.now();
    for (const observer of observers) observer.onBegin?.();
    response.on('close', () => {
      const durationMs = performance.now() - startedAt;
      for (const observer of observers) observer.onEnd(request, response, durationMs);
    });
    next();
  };
}
