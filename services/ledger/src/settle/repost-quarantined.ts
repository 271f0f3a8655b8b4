import type { Actor } from '@tollgate/common/actors/token';
import { insertAudit } from '@tollgate/common/audit/audit-log';
import { RpcError } from '@tollgate/common/errors';
import { isUuid, newId } from '@tollgate/common/ids';
import { CURRENCY, formatDollars, minBigInt } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { type LockedBalance, lockBalance } from '../store/balances.ts';
import { findCharge } from '../store/charges.ts';
import { grantLease } from '../store/leases.ts';
import { lockQuarantined, type QuarantineKey, removeQuarantined } from '../store/quarantined-charges.ts';
import { insertClosedSession } from '../store/sessions.ts';
import { outcomeName } from './observe-settlement.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import { settleWithin } from './settle-records.ts';
import { type SettlementRecord, settlementRecord } from './settlement-record.ts';

/** The result of posting a quarantined record again. */
export interface Reposted {
  outcome: SettleOutcome;
  /** Why it stays quarantined; empty otherwise. */
  reason: string;
  costNanos: bigint;
  chargedNanos: bigint;
  /** The settlement; undefined where there was none. */
  settled?: { records: SettlementRecord[]; plan: SettlementPlan };
}

/** The ingress_name of the sessions under which records are posted again. */
const SESSION_NAME = 'quarantine';

/**
 * Posts a quarantined record again. Its session may have ended, or may count on the credit that this would take, so it is
 * posted under a new session, which is granted what is available, up to the hold. It keeps its content hash, so that it is
 * a duplicate if an ingress sends it again.
 *
 * @param actor who posts it again; recorded in the audit log
 * @throws RpcError when there is no such record, or the key matches several
 */
export function repostQuarantined(pool: Pool, key: QuarantineKey, maxAgeMs: number, actor?: Actor): Promise<Reposted> {
  return inTransaction(pool, async (client) => {
    const isAccount = isUuid(key.accountId);
    const balance = isAccount ? await lockBalance(client, key.accountId) : undefined;
    const [row, another] = await lockQuarantined(client, key);
    if (another !== undefined) {
      throw new RpcError(
        'failed_precondition',
        'the request has several quarantined records: name one by content_hash',
      );
    }
    if (row === undefined) return postedBefore(client, key);
    const record = settlementRecord(row.charge);
    if (record.problem !== undefined) return stays(row.charge, record.problem);
    if (balance === undefined) return stays(row.charge, 'the account is unknown');
    await client.query('SAVEPOINT before_posting');
    const reposted = await post(client, row.charge, record, balance, maxAgeMs);
    if (reposted.outcome === SettleOutcome.QUARANTINED) await client.query('ROLLBACK TO SAVEPOINT before_posting');
    else {
      // The record was posted before: the grant is undone.
      if (reposted.outcome === SettleOutcome.DUPLICATE) await client.query('ROLLBACK TO SAVEPOINT before_posting');
      await removeQuarantined(client, row);
      if (actor !== undefined) await recordRepost(client, actor, row, reposted);
    }
    return reposted;
  });
}

async function post(
  client: PoolClient,
  received: Charge,
  { contentHash }: SettlementRecord,
  balance: LockedBalance,
  maxAgeMs: number,
): Promise<Reposted> {
  const sessionId = newId();
  const record = { ...settlementRecord({ ...received, sessionId }), received, contentHash };
  const { accountId, costNanos, holdNanos } = record.charge;
  const { nowMs } = balance;
  const amount = minBigInt(minBigInt(costNanos, holdNanos), balance.available);
  await insertClosedSession(client, sessionId, SESSION_NAME);
  if (amount > 0n) {
    await grantLease(client, { accountId, sessionId, transferId: newId(), amount, sequence: 0n, nowMs });
  }
  const plan = await settleWithin(client, [record], maxAgeMs);
  const [outcome = SettleOutcome.UNSPECIFIED] = plan.outcomes;
  const reason = plan.quarantined[0]?.reason ?? '';
  const chargedNanos = plan.postings[0]?.chargedNanos ?? 0n;
  return { outcome, reason, costNanos, chargedNanos, settled: { records: [record], plan } };
}

function recordRepost(
  client: PoolClient,
  actor: Actor,
  { accountId, requestId, contentHash }: QuarantineKey,
  { outcome, costNanos, chargedNanos }: Reposted,
): Promise<void> {
  return insertAudit('ledger', client, actor, {
    accountId,
    action: 'quarantine.repost',
    targetId: requestId,
    targetName: '',
    details: {
      outcome: outcomeName(outcome),
      content_hash: contentHash,
      cost: formatDollars(costNanos),
      charged: formatDollars(chargedNanos),
      currency: CURRENCY,
    },
  });
}

function stays({ costNanos }: Charge, reason: string): Reposted {
  return { outcome: SettleOutcome.QUARANTINED, reason, costNanos, chargedNanos: 0n };
}

/** @throws RpcError if the request was not posted either */
async function postedBefore(client: PoolClient, { accountId, requestId }: QuarantineKey): Promise<Reposted> {
  const isNamed = isUuid(accountId) && isUuid(requestId);
  const posted = isNamed ? await findCharge(client, accountId, { by: 'request_id', id: requestId }) : undefined;
  if (posted === undefined) throw new RpcError('not_found', 'no such record is quarantined');
  const { costNanos, chargedNanos } = posted;
  return { outcome: SettleOutcome.DUPLICATE, reason: '', costNanos, chargedNanos };
}
