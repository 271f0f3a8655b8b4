import type { RequestHandler } from 'express';

/** Everything the web app loads is its own; nothing in a page runs from text. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const TWO_YEARS_S = 63_072_000;

/** Sets the headers that confine what a browser does with a response. */
export function createSecurityHeaders(consoleUrl: string): RequestHandler {
  const headers: Record<string, string> = {
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(consoleUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}` } : {}),
  };
  return (_req, res, next) => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    next();
  };
}
