import { awaitsContinue, problemOfHead } from '@tollgate/common/http/unreadable';
import type { NextFunction } from 'express';
import type { TollgateRequest, TollgateResponse } from '../../shared/request/request-context.ts';
import { withClose } from './body.ts';
import { unreadableError } from './unreadable-request.ts';

/** Rejects heads that HTTP forbids, or that it lets a server reject. */
export function checkHead(req: TollgateRequest, res: TollgateResponse, next: NextFunction): void {
  const problem = problemOfHead(req);
  if (problem !== undefined) throw withClose(res, unreadableError(problem));
  next();
}

/** Sends 100 Continue to a client that waits for it. */
export function sendContinue(req: TollgateRequest, res: TollgateResponse): void {
  if (awaitsContinue(req)) res.writeContinue();
}
