import type { Mutation } from './mutation.ts';

const INGRESS = 'services/ingress';
const AUTH = 'services/auth';

/** Edits that each break a safeguard, together with those that back it up. */
export const ALL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an ingress ignores revocations',
    process: 'ingress',
    edits: [{ folder: INGRESS, at: 'RevocationWatch.#receive', find: 'this.#apply(revocation, nowMs);', replace: '' }],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['delete a key'],
  },
  {
    name: 'an ingress that is cut off trusts its records without a time limit',
    process: 'ingress',
    edits: [
      { folder: INGRESS, at: 'RevocationWatch.trusted', find: 'return this.#trust.isValid && !', replace: 'return !' },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: [
      'delete when ingresses have long been cut off',
      'delete while ingresses are cut off, and auth from Redis',
    ],
  },
  {
    name: 'an ingress uses outdated records of a changed key',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'RevocationWatch.#apply',
        find: 'this.revoked.addChange(what.value.keyId, what.value.revision, nowMs);',
        replace: '',
      },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['take a model from a key'],
  },
  {
    name: 'an ingress ignores suspensions',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'RevocationWatch.#apply',
        find: 'this.revoked.addChange(what.value.accountId, what.value.revision, nowMs);',
        replace: '',
      },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['suspend an account'],
  },
  {
    name: 'a cached refusal outlives its reason',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'KeyAuthenticator.#fromMemory',
        find: '(trusted && !this.#mayBeOver(refused))',
        replace: 'trusted',
      },
    ],
    inShort: true,
    promise: 'valid keys are served',
    stories: ['suspend an account'],
  },
  {
    name: 'an outdated record in Redis is used',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'KeyAuthenticator.#fromCache',
        find: 'if (this.#revocations.revoked.outdated(key, UNKNOWN_POSITION)) return undefined;',
        replace: '',
      },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['change a key while its record is on its way', 'bring an old dump back'],
  },
  {
    name: 'a response counts as newer than changes that arrived while it was pending',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'KeyAuthenticator.#fromAuth',
        find: 'if (this.#isOvertaken(resolution)) {',
        replace: 'if (false) {',
      },
      {
        folder: INGRESS,
        at: 'KeyAuthenticator.#fromAuth',
        find: 'this.#records.set(sha256, { key: result.key, position, generation },',
        replace: 'this.#records.set(sha256, { key: result.key, position: revoked.position, generation },',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['change a key while a response is in flight'],
  },
  {
    name: 'an ingress that is cut off accepts a response to an earlier request',
    process: 'ingress',
    edits: [
      {
        folder: INGRESS,
        at: 'KeyAuthenticator.#fromAuth',
        find: 'this.#revocations.trusted() ? 0 : Number.POSITIVE_INFINITY',
        replace: 'this.#revocations.trusted() ? 0 : 0',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['delete a key while a lookup is open'],
  },
  {
    name: 'ingresses do not hear of keys below a deleted key',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'createDeleteKeyHandler',
        find: 'if (below > 0) await reviseKeysBelow(client, ownerId);',
        replace: '',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['delete a key with keys below it'],
  },
  {
    name: 'a key below a deleted key stays valid in the database',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'createDeleteKeyHandler',
        find: 'const below = await deleteKeysBelow(client, known);',
        replace: 'const below = 0;',
      },
      {
        folder: AUTH,
        at: 'findKeyBySha256',
        find: '|| keys.some((key) => key.has_ended)',
        replace: '',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['delete a key with keys below it'],
  },
  {
    name: 'calls return before every ingress has confirmed',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'RevocationHub.#untilApplied',
        find: 'if (live.length === 0) return silent;',
        replace: 'if (live.length >= 0) return silent;',
      },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['delete while ingresses receive changes late'],
  },
  {
    name: 'calls do not wait for ingresses that are cut off',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'WatcherSilence.judge',
        find: 'fromMs - seen.sinceMs >= waitMs',
        replace: 'fromMs - seen.sinceMs >= 0',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['delete while ingresses are cut off, and auth from Redis'],
  },
  {
    name: 'the clock of the database decides how long an ingress has been silent',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'listUnconfirmed',
        find: 'WHERE applied_sequence < $1',
        replace: "WHERE heartbeat_at > clock_timestamp() - interval '1300 milliseconds' AND applied_sequence < $1",
      },
    ],
    inShort: true,
    promise: 'dead keys stay dead',
    stories: ['delete while ingresses are cut off, and the clock of the database jumps'],
  },
  {
    name: 'suspensions are not streamed',
    process: 'auth of operators',
    edits: [
      {
        folder: AUTH,
        at: 'changeAccount',
        find: "sequence: await insertRevocation(client, { kind: 'account', accountId, revision })",
        replace: 'sequence: undefined',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['suspend an account'],
  },
  {
    name: 'an ingress that returns gets only later changes',
    process: 'auth of an ingress',
    edits: [
      {
        folder: AUTH,
        at: 'WatchStream.#receive',
        find: 'this.#sent ??= request.appliedSequence;',
        replace: 'this.#sent ??= BigInt(Date.now()) * 1_000n;',
      },
    ],
    promise: 'dead keys stay dead',
    stories: ['delete while ingresses are cut off, and auth from Redis'],
  },
];
