import { RpcError } from '@tollgate/common/errors';
import type { Dependencies } from '../dependencies.ts';
import { buryValues, forgetAccount, forgetValues } from '../forget-records.ts';
import type { AccountRow } from '../store/account.ts';
import { findAccount } from '../store/find-account.ts';

/** What the handlers of changes work with. */
export type ChangeDependencies = Pick<Dependencies, 'pool' | 'cache' | 'revocations' | 'logger'>;

/** A committed change of one key. */
export interface KeyChange {
  accountId: string;
  /** Its last revocation; undefined when it is so old that nothing from before it can be believed anywhere. */
  sequence: bigint | undefined;
  /** Values of the key that are dead for good, and others whose records are out of date. */
  dead?: readonly Buffer[];
  changed?: readonly Buffer[];
  /** For the message of a wait that was not finished. */
  done: string;
}

/**
 * Waits until a committed change of a key holds at every ingress.
 *
 * The wait alone makes it so: an ingress that has confirmed the change judges by its own memory for longer than any
 * cached record lives, and one that has not is waited for until it trusts no cached record. Tombstones and removed
 * records in Redis spare later calls to auth and end fills that have begun; without Redis the change is as safe, so it is
 * neither refused nor held up then.
 */
export async function waitForKeyChange(
  deps: ChangeDependencies,
  change: KeyChange,
  signal: AbortSignal,
): Promise<void> {
  const { accountId, dead = [], changed = [] } = change;
  const sinceMs = performance.now();
  deps.revocations.wake();
  const account = await findAccount(deps.pool, accountId);
  if (account === undefined) throw new Error('a key has no account');
  if (dead.length > 0) await buryValues(deps, account.tag, dead);
  if (changed.length > 0) await forgetValues(deps, account.tag, changed);
  await waitForConfirmation(deps, { ...change, sinceMs }, signal);
}

/** Waits until a committed change of an account holds for all its keys at every ingress, as `waitForKeyChange` does. */
export async function waitForAccountChange(
  deps: ChangeDependencies,
  change: { account: AccountRow; sequence: bigint | undefined; done: string },
  signal: AbortSignal,
): Promise<void> {
  const sinceMs = performance.now();
  deps.revocations.wake();
  await forgetAccount(deps, change.account);
  await waitForConfirmation(deps, { ...change, sinceMs }, signal);
}

async function waitForConfirmation(
  { revocations }: ChangeDependencies,
  { sequence, sinceMs, done }: { sequence: bigint | undefined; sinceMs: number; done: string },
  signal: AbortSignal,
): Promise<void> {
  if (sequence === undefined || (await revocations.waitUntilApplied(sequence, sinceMs, signal))) return;
  throw new RpcError('deadline_exceeded', `${done}, but not every ingress has confirmed it; call again`);
}
