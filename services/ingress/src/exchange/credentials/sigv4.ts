import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Pause } from '../../shared/scheduling.ts';

/** Access keys of AWS; a role's keys have a session token. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** What is signed of a call. */
export interface SignedCall {
  origin: string;
  /** Path with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Exactly as it is sent. */
  body: Buffer;
}

/** A piece is hashed in about a millisecond. */
const PIECE_BYTES = 512 * 1024;

/** The headers that sign a call with AWS Signature Version 4: over its method, address, content type and body. */
export async function signatureHeaders(
  call: SignedCall,
  { region, service, keys }: { region: string; service: string; keys: AwsKeys },
  now: Date,
  pause: Pause,
): Promise<Record<string, string>> {
  const { protocol, host, hostname, pathname, searchParams } = new URL(call.path, call.origin);
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: {
        host,
        'content-type': call.headers['content-type'] ?? 'application/json',
        'x-amz-content-sha256': await hashInPieces(call.body, pause),
      },
    },
    { signingDate: now },
  );
  return signed.headers;
}

/** SHA-256 of a body. A large one lets other work run between pieces. */
async function hashInPieces(body: Buffer, pause: Pause): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (at > 0) await pause();
    hash.update(body.subarray(at, at + PIECE_BYTES));
  }
  return hash.digest('hex');
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, or its HMAC with a secret, in the form that the signer takes. */
class Sha256 {
  readonly #create: () => Hash | Hmac;
  #hash: Hash | Hmac;

  constructor(secret?: Bytes) {
    this.#create = () => (secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret)));
    this.#hash = this.#create();
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#create();
  }
}

function bytesOf(data: Bytes): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
