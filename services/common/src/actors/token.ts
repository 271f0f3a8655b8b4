import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { ROLE_NAMES, type RoleName } from './roles.ts';

const ISSUER = 'tollgate-auth';
const AUDIENCE = 'tollgate';
const ALGORITHM = 'EdDSA';

/**
 * How long a token is valid, whatever it says itself. A removed member or deleted management key could read this much longer,
 * and CLOCK_TOLERANCE_S.
 */
export const ACTOR_TOKEN_MS = 60_000;

/** Clocks of services may differ by this much, as between ingress and ledger. */
export const CLOCK_TOLERANCE_S = 60;

/** Maximum keys that a developer's token names. */
export const MAX_TOKEN_KEYS = 200;

/** Maximum projects that a developer's token names, and to which one may be limited. */
export const MAX_TOKEN_PROJECTS = 20;

/** Where an actor makes calls; `cli`: in a task at the cluster. */
const VIA = ['console', 'api', 'cli'] as const;
export type Via = (typeof VIA)[number];

/** Who makes a call of the console, or runs a task at the cluster. */
export interface Actor {
  /** The person or management key; empty for an operator at the cluster. */
  id: string;
  /** E-mail address, name of the management key, or the user that runs a task. For the audit log. */
  name: string;
  role: RoleName;
  via: Via;
  /** The one account in which the actor may act; undefined for operators: all. */
  accountId: string | undefined;
  /** Nothing may be changed: an operator views an account as its members see it. */
  readOnly: boolean;
  /** The keys that a developer made, newest first, at most MAX_TOKEN_KEYS; undefined for other roles. */
  keyIds: readonly string[] | undefined;
  /** The only projects in which a developer acts, at most MAX_TOKEN_PROJECTS; undefined: all. */
  projectIds?: readonly string[] | undefined;
}

const claimsSchema = z
  .object({
    sub: z.string(),
    name: z.string(),
    role: z.enum(ROLE_NAMES),
    via: z.enum(VIA),
    account: z.string().min(1).optional(),
    read_only: z.boolean().optional(),
    keys: z.array(z.string()).max(MAX_TOKEN_KEYS).optional(),
    projects: z.array(z.string()).min(1).max(MAX_TOKEN_PROJECTS).optional(),
  })
  .refine((claims) => isBounded(claims.role, claims.account));

/** Whether an actor is an operator or bound to an account: a member without one could act in all accounts. */
function isBounded(role: RoleName, accountId: string | undefined): boolean {
  return role === 'operator' || accountId !== undefined;
}

/** Reads the private key of auth. */
export function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('must be an Ed25519 key');
  return key;
}

/** Reads one or more public keys in PEM, one after another. */
export function readPublicKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  const keys = blocks.map((block) => createPublicKey(block));
  if (keys.length === 0) throw new Error('must have at least one PEM public key');
  if (keys.some((key) => key.asymmetricKeyType !== 'ed25519')) throw new Error('must be Ed25519 keys');
  return keys;
}

/** Signs a token for an actor: a JWT (RFC 7519) with EdDSA (RFC 8037). */
export async function signActorToken(
  key: KeyObject,
  actor: Actor,
  nowMs: number,
  validMs = ACTOR_TOKEN_MS,
): Promise<string> {
  if (!isBounded(actor.role, actor.accountId)) throw new Error(`the role ${actor.role} requires an account`);
  if ((actor.keyIds?.length ?? 0) > MAX_TOKEN_KEYS) throw new Error('the token would name too many keys');
  if ((actor.projectIds?.length ?? 0) > MAX_TOKEN_PROJECTS) throw new Error('the token would name too many projects');
  return new SignJWT({
    name: actor.name,
    role: actor.role,
    via: actor.via,
    ...(actor.accountId === undefined ? {} : { account: actor.accountId }),
    ...(actor.readOnly ? { read_only: true } : {}),
    ...(actor.keyIds === undefined ? {} : { keys: [...actor.keyIds] }),
    ...(actor.projectIds === undefined ? {} : { projects: [...actor.projectIds] }),
  })
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(actor.id)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(new Date(nowMs))
    .setExpirationTime(new Date(nowMs + validMs))
    .sign(key);
}

/** Verifies a token with any of the keys; undefined if it is not valid now. */
export async function verifyActorToken(
  keys: readonly KeyObject[],
  token: string,
  nowMs: number,
): Promise<Actor | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'iat', 'exp'],
        maxTokenAge: ACTOR_TOKEN_MS / 1_000,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(nowMs),
      });
      const claims = claimsSchema.parse(payload);
      return {
        id: claims.sub,
        name: claims.name,
        role: claims.role,
        via: claims.via,
        accountId: claims.account,
        readOnly: claims.read_only === true,
        keyIds: claims.keys,
        ...(claims.projects === undefined ? {} : { projectIds: claims.projects }),
      };
    } catch (error) {
      // Another key may have signed it; all other errors are final.
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }
  return undefined;
}
