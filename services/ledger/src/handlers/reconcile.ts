import { RpcError } from '@tollgate/common/errors';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { ReconcileFinding, ReconcileRequest, ReconcileResponse } from '@tollgate/proto/ledger';
import { reconcile } from '../reconcile/reconcile.ts';
import { insertAudit } from '../store/audit.ts';
import type { Finding } from '../store/findings.ts';

const DEFAULT_BUDGET_MS = 20_000;
const MAX_BUDGET_MS = 60_000;

/** Works on a pass of reconciliation within a time budget. The call that begins one is recorded in the audit log. */
export function createReconcileHandler({ pool }: { pool: Pool }): UnaryHandler<ReconcileRequest, ReconcileResponse> {
  return async (request, call) => {
    const budgetMs = request.budgetMs === 0 ? DEFAULT_BUDGET_MS : request.budgetMs;
    if (budgetMs < 0 || budgetMs > MAX_BUDGET_MS) {
      throw new RpcError('invalid_argument', `budget_ms: must be 1 to ${MAX_BUDGET_MS}`);
    }
    const begins = request.passBeganMs === 0n;
    const report = await reconcile(pool, { budgetMs, pass: begins ? 'new' : Number(request.passBeganMs) });
    if (begins) {
      const details = { complete: String(report.complete), findings: String(report.findingsTotal) };
      const entry = { accountId: undefined, action: 'ledger.reconcile', targetId: '', targetName: '', details };
      await inTransaction(pool, (client) => insertAudit(client, actorOf(call), entry));
    }
    return {
      complete: report.complete,
      passBeganMs: BigInt(report.beganMs),
      charges: BigInt(report.charges),
      transfers: BigInt(report.transfers),
      accounts: BigInt(report.accounts),
      findings: report.findings.map(findingMessage),
      findingsTotal: BigInt(report.findingsTotal),
    };
  };
}

export function findingMessage({ invariant, accountId, place, expected, found }: Finding): ReconcileFinding {
  return { invariant, accountId, placeJson: place, expectedJson: expected, foundJson: found };
}
