import type { TollgateRequest, TollgateResponse } from './request-context.ts';

/** Whether a request declares a body. */
export function hasBody(req: Pick<TollgateRequest, 'headers'>): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Returns the error. If the body may be left unread, the connection is closed after the response. */
export function withClose<E>(res: TollgateResponse, error: E): E {
  if (!res.req.complete && hasBody(res.req)) res.setHeader('connection', 'close');
  return error;
}
