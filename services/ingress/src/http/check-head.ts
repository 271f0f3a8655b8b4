import type { NextFunction } from 'express';
import { apiErrors } from '../errors/api-error.ts';
import { withClose } from './body.ts';
import type { TollgateRequest, TollgateResponse } from './request-context.ts';

/** Rejects heads that HTTP forbids, or that it lets a server reject. */
export function checkHead(req: TollgateRequest, res: TollgateResponse, next: NextFunction): void {
  const { host, expect } = req.headers;
  if (host === undefined && req.httpVersion === '1.1')
    throw withClose(res, apiErrors.invalidRequest('The Host header is missing.'));
  if (hasSeveralHosts(req.rawHeaders))
    throw withClose(res, apiErrors.invalidRequest('The Host header is sent more than once.'));
  if (expect !== undefined && !isContinue(expect)) throw withClose(res, apiErrors.unknownExpectation());
  next();
}

/** Whether a client waits for 100 Continue before it sends its body. */
export function awaitsContinue({ headers, httpVersion }: Pick<TollgateRequest, 'headers' | 'httpVersion'>): boolean {
  return headers.expect !== undefined && isContinue(headers.expect) && httpVersion === '1.1';
}

/** Sends 100 Continue to a client that waits for it. */
export function sendContinue(req: TollgateRequest, res: TollgateResponse): void {
  if (awaitsContinue(req)) res.writeContinue();
}

/** Node.js keeps the first of several; a proxy in front may have used another one (RFC 9112, section 3.2). */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function isContinue(expect: string): boolean {
  return expect.trim().toLowerCase() === '100-continue';
}
