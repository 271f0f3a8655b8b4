import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A link of the console with a secret in its fragment, which browsers send to no server. */
export interface SecretLink {
  url: string;
  /** What is stored of the secret. */
  secretSha256: Buffer;
}

export function newSecretLink(consoleUrl: string, kind: 'reset' | 'invitation'): SecretLink {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const secretSha256 = createHash('sha256').update(secret).digest();
  return { url: `${consoleUrl}/${kind}#${secret}`, secretSha256 };
}
