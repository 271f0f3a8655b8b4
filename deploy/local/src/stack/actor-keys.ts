import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key pair of actor tokens, as settings of the services. */
export interface ActorKeys {
  signing: { ACTOR_SIGNING_KEY: string };
  verifying: { ACTOR_PUBLIC_KEYS: string };
}

/** Reads the key pair of a data folder, and creates it at the first start. */
export function ensureActorKeys(data: string): ActorKeys {
  const file = join(data, 'actor-signing-key.pem');
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  }
  const signingKey = readFileSync(file, 'utf8');
  const publicKeys = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' }).toString();
  return { signing: { ACTOR_SIGNING_KEY: signingKey }, verifying: { ACTOR_PUBLIC_KEYS: publicKeys } };
}
