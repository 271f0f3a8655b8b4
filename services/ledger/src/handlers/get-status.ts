import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetStatusRequest, GetStatusResponse, ReconcileFinding } from '@tollgate/proto/ledger';
import { accountsWithLosses } from '../store/account-balances.ts';
import { type Finding, listFindings } from '../store/findings.ts';
import { listOpenSessions } from '../store/open-sessions.ts';
import { readReconciliationStatus } from '../store/reconciliation.ts';
import { countUnknownKeys } from '../store/refusal-counts.ts';
import { DAY_MS } from '../store/time.ts';
import { countQuarantined, readTotals } from '../store/totals.ts';
import { accountBalances } from './list-balances.ts';

const MAX_LOSSES = 100;
const MAX_FINDINGS = 100;
const MAX_SESSIONS = 1_000;

/** The state of the whole ledger. */
export function createGetStatusHandler({ pool }: { pool: Pool }): UnaryHandler<GetStatusRequest, GetStatusResponse> {
  return async () => {
    const totals = await readTotals(pool);
    const losses = await accountsWithLosses(pool, MAX_LOSSES);
    const { findings, total } = await listFindings(pool, MAX_FINDINGS);
    const { untilMs } = await readReconciliationStatus(pool);
    return {
      balanceNanos: totals.balance,
      leasedNanos: totals.leased,
      receivableNanos: totals.receivable,
      revenueNanos: totals.revenue,
      lossNanos: totals.loss,
      losses: await accountBalances(pool, losses),
      sessions: await listOpenSessions(pool, MAX_SESSIONS),
      quarantined: await countQuarantined(pool),
      findings: findings.map(findingMessage),
      findingsTotal: BigInt(total),
      reconciledUntilMs: BigInt(untilMs),
      unknownKeys: await countUnknownKeys(pool, Date.now() - DAY_MS),
    };
  };
}

function findingMessage({ invariant, accountId, place, expected, found }: Finding): ReconcileFinding {
  return { invariant, accountId, placeJson: place, expectedJson: expected, foundJson: found };
}
