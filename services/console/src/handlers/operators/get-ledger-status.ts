import { unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { AccountBalance, LedgerServiceClient, ReconcileFinding } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { readAccountNames } from '../../lookups/account-names.ts';
import { renderIngresses } from '../../render/ingress.ts';
import { renderTimeOrNull } from '../../render/time.ts';

/** Accounts with the largest losses that are shown. */
const MAX_LOSSES = 20;

/** The state of the ledger, and of the ingresses as the ledger and auth see them. */
export function createGetLedgerStatusHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /operator/ledger'> {
  return async ({ rpc }) => {
    const options = await rpc();
    const [status, { watchers }] = await Promise.all([
      unaryCall(ledger.getStatus.bind(ledger), {}, options),
      unaryCall(auth.listWatchers.bind(auth), {}, options),
    ]);
    const losses = status.losses.slice(0, MAX_LOSSES);
    const accountIds = [
      ...losses.map(({ balance }) => balance?.accountId ?? ''),
      ...status.findings.map((each) => each.accountId),
    ];
    // The ledger may know an account that auth does not, after a restore of one of them.
    const names = await readAccountNames(auth, accountIds, options);
    return {
      balance: formatDollars(status.balanceNanos),
      leased: formatDollars(status.leasedNanos),
      owed: formatDollars(status.receivableNanos),
      revenue: formatDollars(status.revenueNanos),
      loss: formatDollars(status.lossNanos),
      losses: losses.map((loss) => renderLoss(loss, names)),
      quarantined: Number(status.quarantined),
      findings: status.findings.map((finding) => renderFinding(finding, names)),
      findings_total: Number(status.findingsTotal),
      reconciled_until: renderTimeOrNull(status.reconciledUntilMs),
      unknown_keys: Number(status.unknownKeys),
      ingresses: renderIngresses(status.sessions, watchers),
    };
  };
}

type Names = ReadonlyMap<string, string>;

function renderLoss({ balance, lossNanos }: AccountBalance, names: Names) {
  const accountId = balance?.accountId ?? '';
  return { account_id: accountId, account_name: names.get(accountId) ?? '', loss: formatDollars(lossNanos) };
}

function renderFinding(finding: ReconcileFinding, names: Names) {
  return {
    invariant: finding.invariant,
    account_id: finding.accountId,
    account_name: names.get(finding.accountId) ?? '',
    place: finding.placeJson,
    expected: finding.expectedJson,
    found: finding.foundJson,
  };
}
