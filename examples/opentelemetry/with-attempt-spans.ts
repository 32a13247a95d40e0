import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { CallOptions } from '@plant-store/client';

const tracer = trace.getTracer('plant-store-client');

/**
 * Records a span for each attempt of a call, below the active span, and sends its `traceparent` along, so that the log of
 * Plant Store has the same trace. The attributes are those of the semantic conventions for HTTP clients.
 *
 * @param call makes the call with these hooks; they are for one call alone
 */
export async function withAttemptSpans<Reply>(
  call: (hooks: Pick<CallOptions, 'onRequest' | 'onResponse'>) => Promise<Reply>,
): Promise<Reply> {
  let span: Span | undefined;
  try {
    return await call({
      onRequest({ attempt, method, url, headers }) {
        const { hostname, port, protocol } = new URL(url);
        span = tracer.startSpan(method, {
          kind: SpanKind.CLIENT,
          attributes: {
            'http.request.method': method,
            'server.address': hostname,
            'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
            'url.full': url,
            ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
          },
        });
        propagation.inject(trace.setSpan(context.active(), span), headers);
      },
      onResponse({ response, error }) {
        if (response) span?.setAttribute('http.response.status_code', response.status);
        if (!response?.ok) fail(span, response ? String(response.status) : nameOf(error));
        span?.end();
        span = undefined;
      },
    });
  } finally {
    // The hooks are not called after an attempt that the caller's own signal has aborted.
    fail(span, 'AbortError');
    span?.end();
  }
}

function fail(span: Span | undefined, errorType: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorType);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER';
}
