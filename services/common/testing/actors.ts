import { generateKeyPairSync } from 'node:crypto';
import { type Actor, signActorToken } from '../src/actors/token.ts';
import type { CallContext } from '../src/grpc/handler.ts';

const HOUR_MS = 3_600_000;

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** Settings of services that verify, and of an auth that signs, the tokens of this test process. */
export const ACTOR_SETTINGS = {
  ACTOR_PUBLIC_KEYS: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
};
export const ACTOR_SIGNING_SETTINGS = {
  ...ACTOR_SETTINGS,
  ACTOR_SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

/** An operator at the cluster, with changes. */
export function actorWith(changes: Partial<Actor> = {}): Actor {
  return {
    id: '',
    name: 'test operator',
    role: 'operator',
    via: 'cli',
    accountId: undefined,
    readOnly: false,
    keyIds: undefined,
    ...changes,
  };
}

/** A token of an actor, valid for one hour. */
export function tokenFor(actor: Actor): Promise<string> {
  return signActorToken(privateKey, actor, Date.now(), HOUR_MS);
}

/** Tokens of an operator, for clients of a service that runs without auth. */
export function operatorToken(): Promise<string> {
  return tokenFor(actorWith());
}

/** What a handler gets besides its request when an actor, or none, makes the call. */
export function calledBy(actor: Actor | undefined, signal = new AbortController().signal): CallContext {
  return { signal, actor };
}
