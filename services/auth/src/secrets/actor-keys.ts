import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readPublicKeys, readSigningKey } from '@tollgate/common/actors/token';
import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { z } from 'zod';
import { ensureSecret, type Files, type Plan } from './ensure-secret.ts';
import type { Secrets } from './kubernetes.ts';

const SIGNING_KEY = 'signing-key.pem';
const PUBLIC_KEYS = 'public-keys.pem';

/** The Secret with the keys of actor tokens that must exist. */
export const actorKeysSchema = z.object({
  secret: z.string().min(1).max(253),
  labels: z.record(z.string(), z.string()),
});
export type WantedActorKeys = z.output<typeof actorKeysSchema>;

/** Ensures that the key pair of actor tokens exists. An existing one is never changed, only checked. */
export function ensureActorKeys(deps: { secrets: Secrets; logger: Logger }, wanted: WantedActorKeys): Promise<void> {
  const { secret: name, labels } = wanted;
  return ensureSecret(deps, { name, type: 'Opaque', labels }, async (kept) => {
    const plan: Plan = kept === undefined ? planNew() : { action: 'keep' };
    if (kept !== undefined) check(name, kept);
    return { plan, result: undefined };
  });
}

function planNew(): Plan {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const files = {
    [SIGNING_KEY]: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    [PUBLIC_KEYS]: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
  return { action: 'write', why: 'it did not exist', files };
}

/** @throws Error if services could not use the keys, which would become visible only when they restart */
function check(secret: string, files: Files): void {
  const read = <T>(file: string, parse: (pem: string) => T): T => {
    try {
      return parse(files[file] ?? '');
    } catch (error) {
      throw new Error(`secret ${secret}: ${file}: ${messageOf(error)}`, { cause: error });
    }
  };
  const signingKey: KeyObject = createPublicKey(read(SIGNING_KEY, readSigningKey));
  if (!read(PUBLIC_KEYS, readPublicKeys).some((key) => key.equals(signingKey)))
    throw new Error(`secret ${secret}: ${PUBLIC_KEYS}: must have the public key of ${SIGNING_KEY}`);
}
