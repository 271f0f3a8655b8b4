import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Reservation } from '../../shared/buffers/buffer-budget.ts';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { memoryError } from '../../shared/errors/capacity.ts';
import type { TollgateRequest, TollgateResponse } from '../../shared/request/request-context.ts';

/** A request body, decompressed; or why it cannot be used. */
export type BodyResult = { kind: 'body'; bytes: Buffer } | { kind: 'refused'; error: ApiError } | { kind: 'aborted' };

/** Whether a request declares a body. */
export function hasBody(req: Pick<TollgateRequest, 'headers'>): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Returns the error. If the body may be left unread, the connection is closed after the response. */
export function withClose<E>(res: TollgateResponse, error: E): E {
  if (!res.req.complete && hasBody(res.req)) res.setHeader('connection', 'close');
  return error;
}

/** Highest ratio of decompressed to compressed size, above any real text. */
const MAX_EXPANSION = 200;
/** Decompressed bodies up to this size may have any ratio. */
const FREE_EXPANSION_BYTES = 256 * 1024;

const DECODERS: Record<string, () => Transform & { readonly bytesWritten: number }> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

/** The largest window that HTTP allows: 8 MiB (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;

/** Reserved for the first bytes of a body. */
const FIRST_STEP_BYTES = 16 * 1024;
/** Beyond this size, the rest of a body with a declared length is reserved at once. */
const LAST_STEP_BYTES = 256 * 1024;

/**
 * Reads a body of at most `limitBytes` once decompressed (gzip, deflate, br, zstd). Memory is reserved as bytes
 * arrive, up to twice as much as has arrived: a client that declares a length and sends nothing reserves nothing. The
 * rest of a large body is reserved at once, since many bodies that grow in steps would fill the memory with parts.
 * Without free memory, reading waits, and fails after a while. After an error the rest of the body is left unread.
 */
export function readBody(req: TollgateRequest, limitBytes: number, reservation: Reservation): Promise<BodyResult> {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (createDecoder !== undefined) return readCompressed(req, createDecoder(), limitBytes, reservation);
  if (encoding !== 'identity') return Promise.resolve(refused(apiErrors.invalidRequest(UNSUPPORTED_ENCODING)));
  const declared = req.headers['content-length'];
  if (declared === undefined) return collect(req, req, { maxBytes: limitBytes, reservation });
  const bytes = Number(declared);
  return bytes > limitBytes
    ? Promise.resolve(refused(tooLarge(bytes, limitBytes)))
    : collect(req, req, { maxBytes: bytes, lastStepBytes: LAST_STEP_BYTES, reservation });
}

const UNSUPPORTED_ENCODING = 'The content-encoding is not supported. Use gzip, deflate, br, zstd or none.';

async function readCompressed(
  req: TollgateRequest,
  decoder: Transform & { readonly bytesWritten: number },
  limitBytes: number,
  reservation: Reservation,
): Promise<BodyResult> {
  const exceedsRatio = (size: number) => size > FREE_EXPANSION_BYTES && size > MAX_EXPANSION * decoder.bytesWritten;
  req.pipe(decoder);
  const result = await collect(req, decoder, { maxBytes: limitBytes, reservation, exceedsRatio });
  req.unpipe(decoder);
  decoder.on('error', () => undefined).destroy();
  // Bytes after the end of the compressed data still belong to this request and are discarded.
  if (result.kind === 'body') req.resume();
  return result;
}

interface Collecting {
  maxBytes: number;
  /** Beyond this size all of `maxBytes` is reserved. */
  lastStepBytes?: number;
  reservation: Reservation;
  exceedsRatio?: (size: number) => boolean;
}

/**
 * Collects a stream in one buffer, which doubles: chunks of a few bytes each would take many times their size. A body that
 * comes as one chunk is that chunk.
 *
 * @param source the request itself or its decoder
 */
function collect(
  req: TollgateRequest,
  source: Readable,
  { maxBytes, lastStepBytes = maxBytes, reservation, exceedsRatio }: Collecting,
): Promise<BodyResult> {
  return new Promise((resolve) => {
    let buffer: Buffer = EMPTY;
    let size = 0;
    let waits = false;
    let ended = false;
    /** Leaves the rest unread. */
    const stop = (result: BodyResult) => {
      source.off('data', take).off('end', end).pause();
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      const total = size + chunk.length;
      if (total > maxBytes) stop(refused(tooLarge(total, maxBytes)));
      else if (exceedsRatio?.(total) === true) stop(refused(apiErrors.invalidRequest(EXPANDS_TOO_MUCH)));
      else if (total <= buffer.length) put(chunk);
      else if (chunk.length === maxBytes && reservation.tryGrow(maxBytes)) {
        buffer = chunk;
        size = maxBytes;
      } else enlarge(total > lastStepBytes ? maxBytes : nextLength(total), chunk);
    };
    const nextLength = (total: number) => Math.min(maxBytes, Math.max(2 * total, FIRST_STEP_BYTES));
    const enlarge = (length: number, chunk: Buffer) => {
      if (size === 0) reservation.expect(maxBytes);
      const more = length - buffer.length;
      const putEnlarged = () => {
        const larger = Buffer.allocUnsafe(length);
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
        put(chunk);
      };
      if (reservation.tryGrow(more)) {
        putEnlarged();
        return;
      }
      waits = true;
      source.pause();
      void reservation.grow(more).then((shortage) => {
        waits = false;
        if (shortage !== undefined) {
          stop(refused(memoryError(shortage)));
          return;
        }
        putEnlarged();
        if (ended) end();
        else source.resume();
      });
    };
    const put = (chunk: Buffer) => {
      chunk.copy(buffer, size);
      size += chunk.length;
    };
    // The stream may end while the last chunk waits for memory.
    const end = () => {
      ended = true;
      if (waits) return;
      reservation.shrinkTo(size);
      resolve({ kind: 'body', bytes: size === buffer.length ? buffer : buffer.subarray(0, size) });
      // The listeners of a finished stream stay: removing them costs more. They keep no body.
      buffer = EMPTY;
    };
    const onAbort = () => {
      if (!req.complete) resolve({ kind: 'aborted' });
    };
    source.on('data', take).on('end', end);
    // Node.js emits no error of a request without a listener, but always its close.
    req.on('close', onAbort);
    if (source !== req) source.on('error', () => stop(refused(apiErrors.invalidRequest(NOT_AS_ENCODED))));
    if (req.destroyed) onAbort();
  });
}

const EMPTY = Buffer.alloc(0);
const EXPANDS_TOO_MUCH = `The request body decompresses to more than ${MAX_EXPANSION} times its size. Send it without content-encoding.`;
const NOT_AS_ENCODED = 'The request body cannot be decompressed: it does not match its content-encoding header.';

/**
 * Google's words, to which Claude Code responds by leaving old images out, then by compacting. It matches them exactly.
 *
 * @param bytes the size as far as it is known
 */
function tooLarge(bytes: number, limitBytes: number): ApiError {
  return apiErrors.invalidRequest(`The request size (${bytes} bytes) exceeds ${limitBytes / 1_000_000} MB limit.`);
}

function refused(error: ApiError): BodyResult {
  return { kind: 'refused', error };
}
