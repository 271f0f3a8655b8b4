import type { ServerResponse } from 'node:http';
import {
  awaitsContinue,
  problemOfHead,
  type RenderedError,
  type UnreadableRequest,
} from '@tollgate/common/http/unreadable';
import { dashTraceId, newTraceId } from '@tollgate/common/ids';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** Renders the error of a request that cannot be read as HTTP, with the trace id of its open response. */
export function renderUnreadable(problem: UnreadableRequest, res: ServerResponse | undefined): RenderedError {
  return {
    headers: { 'x-trace-id': String(res?.getHeader('x-trace-id') ?? dashTraceId(newTraceId())) },
    body: JSON.stringify(unreadableError(problem).toBody()),
  };
}

/** Rejects heads that HTTP forbids, or that it lets a server reject; lets others send their body. */
export const checkHead: RequestHandler = (req, res, next) => {
  const problem = problemOfHead(req);
  if (problem !== undefined) throw unreadableError(problem);
  if (awaitsContinue(req)) res.writeContinue();
  next();
};

function unreadableError({ status, message }: UnreadableRequest): ApiError {
  return new ApiError('invalid_request', message, { status });
}
