import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Smaller bodies fit in a packet either way. */
const MIN_COMPRESSED_BYTES = 1_400;
/** A fifth of the default level's time for lists that are a tenth larger. */
const GZIP = { level: 1 };

const compress = promisify(gzip);

/**
 * Sends a JSON body, compressed if the client accepts gzip. Only what a GET reads is compressed: responses that contain a
 * new key never are, because the length of a compressed body reveals something of its content (BREACH).
 */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  const json = Buffer.from(JSON.stringify(body));
  res.type('json');
  if (req.method !== 'GET' || json.length < MIN_COMPRESSED_BYTES) {
    res.send(json);
    return;
  }
  res.vary('accept-encoding');
  if (req.acceptsEncodings(['gzip']) !== 'gzip') {
    res.send(json);
    return;
  }
  const compressed = await compress(json, GZIP);
  res.setHeader('content-encoding', 'gzip');
  res.send(compressed);
}
