import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Reservation } from '../buffers/buffer-budget.ts';
import { noRoom } from '../buffers/refusals.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { TollgateRequest } from './request-context.ts';

/** A body as it was sent, decompressed; or why it cannot be used. */
export type BodyResult = { kind: 'body'; bytes: Buffer } | { kind: 'refused'; error: ApiError } | { kind: 'aborted' };

/** A compressed body may unpack to so many times its size; what it has beside that is no text anybody wrote. */
const MOST_EXPANSION = 200;
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

/**
 * Reads a whole body of at most `limitBytes` once decompressed (gzip, deflate, br, zstd). All its bytes are reserved: where
 * its length is known before any is read, else as they come. Where there is no room, reading waits, and then gives up.
 * After a refusal the rest of the body is left unread.
 */
export function readBody(req: TollgateRequest, limitBytes: number, reservation: Reservation): Promise<BodyResult> {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (createDecoder !== undefined) return readCompressed(req, createDecoder(), limitBytes, reservation);
  if (encoding !== 'identity') return Promise.resolve(refused(apiErrors.invalidRequest(UNSUPPORTED_ENCODING)));
  const declared = req.headers['content-length'];
  return declared === undefined
    ? collect(req, req, limitBytes, reservation)
    : readDeclared(req, Number(declared), limitBytes, reservation);
}

const UNSUPPORTED_ENCODING =
  'The content-encoding header names an encoding that is not supported; use gzip, deflate, br, zstd or none.';

/** Reads a body whose length is known into a buffer of that length. */
async function readDeclared(
  req: TollgateRequest,
  length: number,
  limitBytes: number,
  reservation: Reservation,
): Promise<BodyResult> {
  if (length > limitBytes) return refused(tooLarge(limitBytes));
  if (!reservation.tryGrow(length)) {
    const refusal = await reservation.grow(length);
    if (refusal !== undefined) return req.destroyed && !req.complete ? { kind: 'aborted' } : refused(noRoom(refusal));
  }
  return collect(req, req, limitBytes, undefined, Buffer.allocUnsafe(length));
}

async function readCompressed(
  req: TollgateRequest,
  decoder: Transform & { readonly bytesWritten: number },
  limitBytes: number,
  reservation: Reservation,
): Promise<BodyResult> {
  const isAbsurd = (size: number) => size > FREE_EXPANSION_BYTES && size > MOST_EXPANSION * decoder.bytesWritten;
  req.pipe(decoder);
  const result = await collect(req, decoder, limitBytes, reservation, undefined, isAbsurd);
  req.unpipe(decoder);
  decoder.on('error', () => undefined).destroy();
  // What comes behind the end of the compressed data belongs to the request, and to nothing else.
  if (result.kind === 'body') req.resume();
  return result;
}

/**
 * Collects a stream's bytes.
 *
 * @param source the request itself, or what decodes it
 * @param reservation grows by what comes; undefined where everything is reserved
 * @param target holds everything that comes, where its length is known
 */
function collect(
  req: TollgateRequest,
  source: Readable,
  limitBytes: number,
  reservation: Reservation | undefined,
  target?: Buffer,
  isAbsurd?: (size: number) => boolean,
): Promise<BodyResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (result: BodyResult) => {
      source.off('data', take).off('end', end).off('error', broken);
      req.off('error', gone).off('close', gone);
      source.pause();
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      const before = size;
      size += chunk.length;
      if (size > limitBytes) finish(refused(tooLarge(limitBytes)));
      else if (isAbsurd?.(size) === true) finish(refused(apiErrors.invalidRequest(EXPANDS_TOO_MUCH)));
      else {
        if (target === undefined) chunks.push(chunk);
        else chunk.copy(target, before);
        if (reservation !== undefined && !reservation.tryGrow(chunk.length)) waitFor(reservation, chunk.length);
      }
    };
    const waitFor = (from: Reservation, bytes: number) => {
      source.pause();
      void from.grow(bytes).then((refusal) => {
        if (refusal === undefined) source.resume();
        else finish(refused(noRoom(refusal)));
      });
    };
    const end = () => finish({ kind: 'body', bytes: target ?? Buffer.concat(chunks, size) });
    const gone = () => {
      if (!req.complete) finish({ kind: 'aborted' });
    };
    const broken = () => (source === req ? gone() : finish(refused(apiErrors.invalidRequest(NOT_AS_ENCODED))));
    source.on('data', take).on('end', end).on('error', broken);
    req.on('error', gone).on('close', gone);
    if (req.destroyed) gone();
  });
}

const EXPANDS_TOO_MUCH = `The request body unpacks to more than ${MOST_EXPANSION} times its size. Send it without content-encoding.`;
const NOT_AS_ENCODED = 'The request body cannot be read: it is not what its content-encoding header says.';

function tooLarge(limitBytes: number): ApiError {
  return apiErrors.invalidRequest(`The request body is larger than ${limitBytes} bytes.`);
}

function refused(error: ApiError): BodyResult {
  return { kind: 'refused', error };
}
