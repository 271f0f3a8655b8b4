import { RpcError } from '@tollgate/common/errors';
import type { KeyCache } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { RevocationHub } from '../revocations/hub.ts';
import { type AccountRow, findAccount } from '../store/accounts.ts';
import type { WatcherRow } from '../store/watchers.ts';
import { removeRecords, removeRecordsOfAccount } from './remove-records.ts';

/** The dependencies of changes. */
export type ChangeDependencies = { pool: Pool; cache: KeyCache; revocations: RevocationHub; logger: Logger };

/** A committed change of one key. */
export interface KeyChange {
  accountId: string;
  /** Its last revocation; undefined when it is older than any valid cached record. */
  sequence: bigint | undefined;
  /** Values of the key whose cached records are stale. */
  values: readonly Buffer[];
  /** Whether it is a change of all keys of the account, as the key has some below it. */
  hasKeysBelow: boolean;
  /** What the error message says when the wait does not finish. */
  done: string;
}

/**
 * Waits until a committed change of a key is in force at every ingress. Returns the watchers that have not confirmed it and
 * are cut off.
 *
 * The wait alone guarantees it: an ingress that has confirmed the change keeps it for longer than any cached record is
 * valid, and the wait for one that has not lasts until it no longer uses cached records. Removing records from Redis only
 * saves calls to auth; without Redis a change is neither refused nor delayed.
 */
export async function waitForKeyChange(
  deps: ChangeDependencies,
  change: KeyChange,
  signal: AbortSignal,
): Promise<WatcherRow[]> {
  const { accountId, values, hasKeysBelow } = change;
  const sinceMs = performance.now();
  deps.revocations.wake();
  const account = await findAccount(deps.pool, accountId);
  if (account === undefined) throw new Error('a key has no account');
  await removeRecords(deps, account.tag, values);
  if (hasKeysBelow) await removeRecordsOfAccount(deps, account);
  return waitForConfirmation(deps, { ...change, sinceMs }, signal);
}

/** Waits until a committed change of an account is in force for all its keys at every ingress. */
export async function waitForAccountChange(
  deps: ChangeDependencies,
  change: { account: AccountRow; sequence: bigint | undefined; done: string },
  signal: AbortSignal,
): Promise<void> {
  const sinceMs = performance.now();
  deps.revocations.wake();
  await removeRecordsOfAccount(deps, change.account);
  await waitForConfirmation(deps, { ...change, sinceMs }, signal);
}

async function waitForConfirmation(
  { revocations }: ChangeDependencies,
  { sequence, sinceMs, done }: { sequence: bigint | undefined; sinceMs: number; done: string },
  signal: AbortSignal,
): Promise<WatcherRow[]> {
  if (sequence === undefined) return [];
  const unconfirmed = await revocations.waitUntilApplied(sequence, sinceMs, signal);
  if (unconfirmed !== undefined) return unconfirmed;
  throw new RpcError('deadline_exceeded', `${done}, but not every ingress has confirmed it; call again`);
}
