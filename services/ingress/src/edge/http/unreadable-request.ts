import type { ServerResponse } from 'node:http';
import {
  awaitsContinue,
  problemOfHead,
  type RenderedError,
  type UnreadableRequest,
} from '@tollgate/common/http/unreadable';
import { dashTraceId, newId, newTraceId } from '@tollgate/common/ids';
import type { NextFunction } from 'express';
import { ApiError } from '../../shared/errors/api-error.ts';
import { errorBody } from '../../shared/errors/render.ts';
import type { TollgateRequest, TollgateResponse } from '../../shared/request/request-context.ts';
import { surfaceOf } from '../../shared/request/surface.ts';
import { withClose } from './body.ts';

/** The error of a request that cannot be read as HTTP. */
export function unreadableError({ status, message }: UnreadableRequest): ApiError {
  return new ApiError({ status, type: 'invalid_request_error', reason: 'invalid_request', message });
}

/** Renders that error, with the ids that the application has set on an open response. */
export function renderUnreadable(problem: UnreadableRequest, res: ServerResponse | undefined): RenderedError {
  const [path = ''] = (res?.req.url ?? '').split('?', 1);
  const traceUuid = String(res?.getHeader('x-trace-id') ?? dashTraceId(newTraceId()));
  return {
    headers: {
      'x-trace-id': traceUuid,
      'x-request-id': String(res?.getHeader('x-request-id') ?? newId()),
      // A request that was too slow may be retried unchanged.
      ...(problem.status === 408 ? {} : { 'x-should-retry': 'false' }),
    },
    body: errorBody(unreadableError(problem), surfaceOf(path), traceUuid),
  };
}

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
