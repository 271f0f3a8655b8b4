import { raw } from 'express';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { TollgateRequest, TollgateResponse } from './request-context.ts';

/** A body as it was sent, decompressed; or why it cannot be used. */
export type BodyResult = { kind: 'body'; bytes: Buffer } | { kind: 'refused'; error: ApiError } | { kind: 'aborted' };

const EMPTY = Buffer.alloc(0);

/**
 * Makes a reader of whole bodies of at most `limitBytes` once decompressed (gzip, deflate, br, zstd). Reading stops at the
 * limit, so a small body that unpacks to a huge one costs no more than the limit.
 */
export function createBodyReader(
  limitBytes: number,
): (req: TollgateRequest, res: TollgateResponse) => Promise<BodyResult> {
  const parse = raw({ type: () => true, limit: limitBytes, inflate: true });
  return (req, res) =>
    new Promise((resolve) => {
      parse(req, res, (error?: unknown) => {
        if (error === undefined) resolve({ kind: 'body', bytes: Buffer.isBuffer(req.body) ? req.body : EMPTY });
        else resolve(refusal(error, limitBytes));
      });
    });
}

/** The `type` values are those of the body-parser package, whose reader express.raw is. */
function refusal(error: unknown, limitBytes: number): BodyResult {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return refused(`The request body is larger than ${limitBytes} bytes.`);
    case 'encoding.unsupported':
      return refused(
        'The content-encoding header names an encoding that is not supported; use gzip, deflate, br, zstd or none.',
      );
    case 'request.size.invalid':
      return refused("The request body's length differs from its content-length header.");
    case 'request.aborted':
      return { kind: 'aborted' };
    default:
      return refused('The request body cannot be read: it is not what its content-encoding header says.');
  }
}

function refused(message: string): BodyResult {
  return { kind: 'refused', error: apiErrors.invalidRequest(message) };
}
