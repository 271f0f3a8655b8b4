import { unaryCall } from '@tollgate/common/grpc/client';
import type { Dependencies } from '../dependencies.ts';
import { ingressesOf } from '../health/ingresses.ts';
import type { Handlers } from '../http/handlers.ts';
import { readAccountNames } from '../lookups/account-names.ts';

/** Accounts with the largest losses that are shown. */
const MAX_LOSSES = 20;

/** The state of the ledger, and of the ingresses as the ledger and auth see them. */
export function ledgerStatusHandlers({ auth, ledger }: Dependencies) {
  return {
    getLedgerStatus: async (_, { rpc }) => {
      const options = await rpc();
      const [{ sessions, receivableNanos, ...status }, { watchers }] = await Promise.all([
        unaryCall(ledger.getStatus.bind(ledger), {}, options),
        unaryCall(auth.listWatchers.bind(auth), {}, options),
      ]);
      const losses = status.losses.slice(0, MAX_LOSSES).map(({ balance, lossNanos }) => ({
        accountId: balance?.accountId ?? '',
        lossNanos,
      }));
      const accountIds = [...losses, ...status.findings].map(({ accountId }) => accountId);
      // The ledger may know an account that auth does not, after a restore of one of them.
      const names = await readAccountNames(auth, accountIds, options);
      const nameOf = ({ accountId }: { accountId: string }) => names.get(accountId) ?? '';
      return {
        ...status,
        owedNanos: receivableNanos,
        losses: losses.map((loss) => ({ ...loss, accountName: nameOf(loss) })),
        findings: status.findings.map((finding) => ({
          invariant: finding.invariant,
          accountId: finding.accountId,
          accountName: nameOf(finding),
          place: finding.placeJson,
          expected: finding.expectedJson,
          found: finding.foundJson,
        })),
        ingresses: ingressesOf(sessions, watchers),
      };
    },
  } satisfies Partial<Handlers>;
}
