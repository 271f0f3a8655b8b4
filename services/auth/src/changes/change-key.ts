import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type PoolClient } from '@tollgate/common/postgres/pool';
import { mayUseKey } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { hasKeysBelow } from '../store/derived-keys.ts';
import { type KeyRow, lockKey, valuesOf } from '../store/keys.ts';
import { insertRevocation } from '../store/revocations.ts';
import { reviseKeysBelow } from './revise-keys-below.ts';
import { type ChangeDependencies, waitForKeyChange } from './wait-for-propagation.ts';

/** A change of one key. */
export interface KeyChangeOptions {
  keyId: string;
  /** When given, the key must belong to this account. */
  accountId: string | undefined;
  actor: Actor;
  /** For the audit log, such as `key.update`. */
  action: string;
  /** What the error message says when the wait does not finish. */
  done: string;
  /** The log line of the committed change. */
  log: { message: string; fields: object };
}

/** What a change has written. */
export interface WrittenKey {
  key: KeyRow;
  /** Values of the key that the change has ended. */
  endedValues: readonly Buffer[];
  /** For the audit log; empty: nothing has changed. */
  details: Readonly<Record<string, string>>;
}

/** Changes a key that is not deleted, and waits until the change is in force at every ingress, also for keys below it. */
export async function changeKey(
  deps: ChangeDependencies,
  { keyId, accountId, actor, action, done, log }: KeyChangeOptions,
  write: (client: PoolClient, current: KeyRow) => Promise<WrittenKey>,
  signal: AbortSignal,
): Promise<KeyRow> {
  const { key, endedValues, hasBelow, sequence } = await inTransaction(deps.pool, async (client) => {
    const current = await lockKey(client, keyId, accountId);
    if (current === undefined || !mayUseKey(actor, current)) throw new RpcError('not_found', 'no such key');
    if (current.deleted_at !== null) throw new RpcError('failed_precondition', 'the key is deleted');
    const hasBelow = await hasKeysBelow(client, current);
    const written = await write(client, current);
    if (Object.keys(written.details).length > 0) {
      const { account_id: auditedId, name: targetName } = written.key;
      const { details } = written;
      await insertAudit(client, { accountId: auditedId, actor, action, targetId: keyId, targetName, details });
    }
    if (hasBelow) await reviseKeysBelow(client, current.account_id);
    for (const sha256 of written.endedValues) await insertRevocation(client, { kind: 'value', keyId, sha256 });
    const { revision } = written.key;
    return { ...written, hasBelow, sequence: await insertRevocation(client, { kind: 'key', keyId, revision }) };
  });
  deps.logger.info({ key_id: keyId, account_id: key.account_id, ...log.fields }, log.message);
  const values = [...endedValues, ...valuesOf(key)];
  const change = { accountId: key.account_id, sequence, values, hasKeysBelow: hasBelow, done };
  await waitForKeyChange(deps, change, signal);
  return key;
}
