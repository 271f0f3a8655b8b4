import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Reservation } from '../buffers/buffer-budget.ts';
import { bufferShortageError } from '../buffers/shortage-error.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { TollgateRequest } from './request-context.ts';

/** A body as it was sent, decompressed; or why it cannot be used. */
export type BodyResult = { kind: 'body'; bytes: Buffer } | { kind: 'refused'; error: ApiError } | { kind: 'aborted' };

/** A compressed body may unpack to so many times its size; what it has beside that is no text anybody wrote. */
const MAX_EXPANSION = 200;
/** Bodies up to this size may be compressed as well as they can be. */
const FREE_EXPANSION_BYTES = 256 * 1024;

const DECODERS: Record<string, () => Transform & { readonly bytesWritten: number }> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

/** The largest window that HTTP allows: 8 MiB (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;

/** What is reserved for the first bytes of a body. */
const FIRST_STEP_BYTES = 16 * 1024;
/** The steps of a body of declared length end here: after so many bytes the rest of it is reserved at once. */
const LAST_STEP_BYTES = 256 * 1024;

/**
 * Reads a whole body of at most `limitBytes` once decompressed (gzip, deflate, br, zstd). Its bytes are reserved as they
 * come, up to twice as many as have come: a client that declares a length and sends nothing takes no room. The rest of
 * a large body is reserved at once, since many that grow together in steps would fill the room with parts. Where there
 * is no room, reading waits, and then gives up. After a refusal the rest of the body is left unread.
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
    ? Promise.resolve(refused(tooLarge(limitBytes)))
    : collect(req, req, { maxBytes: bytes, lastStepBytes: LAST_STEP_BYTES, reservation });
}

const UNSUPPORTED_ENCODING =
  'The content-encoding header names an encoding that is not supported; use gzip, deflate, br, zstd or none.';

async function readCompressed(
  req: TollgateRequest,
  decoder: Transform & { readonly bytesWritten: number },
  limitBytes: number,
  reservation: Reservation,
): Promise<BodyResult> {
  const isAbsurd = (size: number) => size > FREE_EXPANSION_BYTES && size > MAX_EXPANSION * decoder.bytesWritten;
  req.pipe(decoder);
  const result = await collect(req, decoder, { maxBytes: limitBytes, reservation, isAbsurd });
  req.unpipe(decoder);
  decoder.on('error', () => undefined).destroy();
  // What comes behind the end of the compressed data belongs to the request, and to nothing else.
  if (result.kind === 'body') req.resume();
  return result;
}

interface Collecting {
  maxBytes: number;
  /** Beyond so many bytes all of `mostBytes` is reserved. */
  lastStepBytes?: number;
  reservation: Reservation;
  isAbsurd?: (size: number) => boolean;
}

/**
 * Collects a stream's bytes in one buffer, which doubles: chunks of a few bytes each would take many times their size.
 *
 * @param source the request itself, or what decodes it
 */
function collect(
  req: TollgateRequest,
  source: Readable,
  { maxBytes, lastStepBytes = maxBytes, reservation, isAbsurd }: Collecting,
): Promise<BodyResult> {
  reservation.expect(maxBytes);
  return new Promise((resolve) => {
    let buffer = EMPTY;
    let size = 0;
    let waits = false;
    let ended = false;
    const finish = (result: BodyResult) => {
      source.off('data', take).off('end', end).off('error', broken);
      req.off('error', gone).off('close', gone);
      source.pause();
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      const whole = size + chunk.length;
      if (whole > maxBytes) finish(refused(tooLarge(maxBytes)));
      else if (isAbsurd?.(whole) === true) finish(refused(apiErrors.invalidRequest(EXPANDS_TOO_MUCH)));
      else if (whole <= buffer.length) put(chunk);
      else if (whole > lastStepBytes) enlarge(maxBytes, chunk);
      else enlarge(Math.min(maxBytes, Math.max(whole, 2 * buffer.length, FIRST_STEP_BYTES)), chunk);
    };
    const enlarge = (length: number, chunk: Buffer) => {
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
      void reservation.grow(more).then((refusal) => {
        waits = false;
        if (refusal !== undefined) {
          finish(refused(bufferShortageError(refusal)));
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
    // The end may come while the last chunk waits for its room.
    const end = () => {
      ended = true;
      if (waits) return;
      reservation.shrinkTo(size);
      finish({ kind: 'body', bytes: buffer.subarray(0, size) });
    };
    const gone = () => {
      if (!req.complete) finish({ kind: 'aborted' });
    };
    const broken = () => (source === req ? gone() : finish(refused(apiErrors.invalidRequest(NOT_AS_ENCODED))));
    source.on('data', take).on('end', end).on('error', broken);
    req.on('error', gone).on('close', gone);
    if (req.destroyed) gone();
  });
}

const EMPTY = Buffer.alloc(0);
const EXPANDS_TOO_MUCH = `The request body unpacks to more than ${MAX_EXPANSION} times its size. Send it without content-encoding.`;
const NOT_AS_ENCODED = 'The request body cannot be read: it is not what its content-encoding header says.';

function tooLarge(limitBytes: number): ApiError {
  return apiErrors.invalidRequest(`The request body is larger than ${limitBytes} bytes.`);
}

function refused(error: ApiError): BodyResult {
  return { kind: 'refused', error };
}
