import type { TollgateRequest, TollgateResponse } from './request-context.ts';

/** Whether a request says that it has a body. */
export function hasBody(req: Pick<TollgateRequest, 'headers'>): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Passes an error on. Where a body may be left unread, the connection is not used again. */
export function withClose<E>(res: TollgateResponse, error: E): E {
  if (!res.req.complete && hasBody(res.req)) res.setHeader('connection', 'close');
  return error;
}
