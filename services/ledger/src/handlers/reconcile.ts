import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ReconcileRequest, ReconcileResponse } from '@tollgate/proto/ledger';
import { type ReconcileReport, reconcile } from '../reconcile/reconcile.ts';

const DEFAULT_BUDGET_MS = 20_000;
const MAX_BUDGET_MS = 60_000;

/** Reconciles the ledger within a time budget. */
export function createReconcileHandler({ pool }: { pool: Pool }): UnaryHandler<ReconcileRequest, ReconcileResponse> {
  return async (request) => {
    const budgetMs = request.budgetMs === 0 ? DEFAULT_BUDGET_MS : request.budgetMs;
    if (budgetMs < 0 || budgetMs > MAX_BUDGET_MS) {
      throw new RpcError('invalid_argument', `budget_ms: must be 1 to ${MAX_BUDGET_MS}`);
    }
    return responseOf(await reconcile(pool, { budgetMs, full: request.full }));
  };
}

function responseOf(report: ReconcileReport): ReconcileResponse {
  return {
    complete: report.complete,
    untilMs: BigInt(report.untilMs),
    charges: BigInt(report.charges),
    transfers: BigInt(report.transfers),
    accounts: BigInt(report.accounts),
    hours: BigInt(report.hours),
    findings: report.findings.map((finding) => ({
      invariant: finding.invariant,
      accountId: finding.accountId,
      placeJson: finding.place,
      expectedJson: finding.expected,
      foundJson: finding.found,
    })),
    findingsTotal: BigInt(report.findingsTotal),
  };
}
