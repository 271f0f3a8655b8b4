import type { CreateKeyRequest, UpdateKeyRequest } from '@tollgate/proto/auth';
import type { z } from 'zod';
import type { keyAttributes } from '../api/keys.ts';
import { readCaps } from './caps.ts';
import { toRateLimits } from './limits.ts';

type Given = z.output<z.ZodObject<typeof keyAttributes>>;

/** The attributes of a new key; what is not given is not limited. */
export function attributesOfNewKey(given: Given): Omit<CreateKeyRequest, 'accountId' | 'name'> {
  return {
    expiresAtMs: readExpiry(given.expires_at ?? null),
    allowedModels: given.allowed_models ?? [],
    caps: given.caps === undefined ? undefined : readCaps(given.caps),
    limits: given.limits === undefined ? undefined : toRateLimits(given.limits),
    tags: given.tags ?? {},
  };
}

/** The attributes of a key that are changed; what is not given stays. */
export function changedAttributes(given: Given): Omit<UpdateKeyRequest, 'accountId' | 'keyId' | 'name'> {
  return {
    expiresAtMs: given.expires_at === undefined ? undefined : readExpiry(given.expires_at),
    allowedModels: given.allowed_models === undefined ? undefined : { ids: given.allowed_models },
    caps: given.caps === undefined ? undefined : readCaps(given.caps),
    limits: given.limits === undefined ? undefined : toRateLimits(given.limits),
    tags: given.tags === undefined ? undefined : { tags: given.tags },
  };
}

/** Unix milliseconds; 0: never. */
function readExpiry(expiresAt: string | null): bigint {
  return expiresAt === null ? 0n : BigInt(Date.parse(expiresAt));
}
