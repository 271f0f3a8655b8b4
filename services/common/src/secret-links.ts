import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** What a link leads to. */
export type LinkKind = 'reset' | 'invitation';

/** A link of the console with a secret in its fragment, which browsers send to no server. Whoever has it may use it once. */
export interface SecretLink {
  url: string;
  /** What is stored of the secret. */
  secretSha256: Buffer;
}

export function newLink(consoleUrl: string, kind: LinkKind): SecretLink {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { url: `${consoleUrl}/${kind}#${secret}`, secretSha256: hashOfSecret(secret) };
}

export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
