import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived. */
export interface ArrivedRequest {
  method: string;
  /** With its query. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export interface ExpectedSignature {
  region: string;
  service: string;
  /** The secret of an access key, with the session token that must come with it. */
  keys: (accessKeyId: string) => { secretAccessKey: string; sessionToken?: string } | undefined;
  nowMs: number;
}

/** AWS accepts signatures up to this age. */
const MAX_AGE_MS = 15 * 60_000;

/**
 * Checks an AWS Signature Version 4 as AWS describes it: the canonical request is built from what arrived.
 *
 * @returns what is wrong; undefined for a valid signature
 */
export function signatureProblem(request: ArrivedRequest, expected: ExpectedSignature): string | undefined {
  const header = (name: string) => [request.headers[name] ?? []].flat().join(',');
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    header('authorization'),
  );
  if (parts === null) return 'no signature';
  const [, credential = '', signedHeaders = '', signature = ''] = parts;
  const [accessKeyId = '', date = '', region, service, end] = credential.split('/');
  if (region !== expected.region || service !== expected.service || end !== 'aws4_request') {
    return `signed for ${region}/${service}`;
  }
  const time = header('x-amz-date');
  const sentMs = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(expected.nowMs - sentMs) < MAX_AGE_MS) || !time.startsWith(date)) return `signed at ${time}`;
  const keys = expected.keys(accessKeyId);
  if (keys === undefined) return 'unknown access key';
  if (header('x-amz-security-token') !== (keys.sessionToken ?? '')) return 'wrong session token';
  const names = signedHeaders.split(';');
  const required = ['host', 'x-amz-date', ...(keys.sessionToken === undefined ? [] : ['x-amz-security-token'])];
  for (const name of required) if (!names.includes(name)) return `${name} is not signed`;
  const bodyHash = createHash('sha256').update(request.body).digest('hex');
  if (header('x-amz-content-sha256') !== '' && header('x-amz-content-sha256') !== bodyHash) return 'other body';
  const [path = '', query = ''] = request.url.split('?');
  const canonical = [
    request.method,
    path.split('/').map(encoded).join('/'),
    [...new URLSearchParams(query)]
      .map((pair) => pair.map(encoded).join('='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${header(name).trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders,
    bodyHash,
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(text).digest('hex') === signature ? undefined : 'wrong signature';
}

/** A segment is encoded again for every service but S3. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
