import express, { type Request } from 'express';
import { ApiError, TOO_LARGE } from './api-error.ts';

const parsers = new Map<number, ReturnType<typeof express.json>>();

/** Reads the JSON body of a request. Only declared JSON is accepted: forms of other sites cannot declare it. */
export async function readJson(req: Request, maxBytes: number): Promise<unknown> {
  if (!req.is('application/json')) throw new ApiError('invalid_request', 'The content-type must be application/json.');
  const parse = parsers.get(maxBytes) ?? express.json({ limit: maxBytes, strict: false, type: 'application/json' });
  parsers.set(maxBytes, parse);
  await new Promise<void>((resolve, reject) => {
    parse(req, req.res as never, (error?: unknown) =>
      error === undefined ? resolve() : reject(toApiError(error, maxBytes)),
    );
  });
  return req.body;
}

/** Errors of body-parser have a type: https://github.com/expressjs/body-parser#errors */
function toApiError(error: unknown, maxBytes: number): unknown {
  const type = error instanceof Error && 'type' in error ? String(error.type) : '';
  switch (type) {
    case 'entity.too.large':
      return new ApiError('invalid_request', `The body has more than ${maxBytes} bytes.`, { status: TOO_LARGE });
    case 'entity.parse.failed':
      return new ApiError('invalid_request', 'The body is not valid JSON.');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError(
        'invalid_request',
        'The body must be UTF-8, uncompressed or compressed with gzip, br or deflate.',
      );
    case 'request.aborted':
    case 'request.size.invalid':
      return new ApiError('invalid_request', 'The body is incomplete.');
    default:
      return error;
  }
}
