import helmet from 'helmet';

/**
 * The security headers of an API that is no page: a browser that shows a reply may load, run and frame nothing.
 * Helmet's other defaults stay.
 */
export function securityHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    // The proxy that ends TLS knows which names it serves.
    strictTransportSecurity: false,
  });
}
