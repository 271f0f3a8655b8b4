import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { timeOfId } from '@tollgate/common/ids';
import type { Deposit, LedgerServiceClient } from '@tollgate/proto/ledger';

/** By how much the clock of a ledger, which makes ids, and the one of its database may differ. */
const CLOCKS_DIFFER_MS = 600_000;
const PAGE = 1_000;

interface DepositSource {
  ledger: LedgerServiceClient;
  accountId: string;
  /** Options of a call. */
  rpc: () => Promise<UnaryCallOptions>;
}

/** The deposit with an id, looked for at the time in it; undefined if there is none. */
export async function findDeposit(
  depositId: string,
  { ledger, accountId, rpc }: DepositSource,
): Promise<Deposit | undefined> {
  const id = depositId.toLowerCase();
  const atMs = timeOfId(id);
  if (atMs > Date.now() + CLOCKS_DIFFER_MS) return undefined;
  const range = {
    startMs: BigInt(Math.max(0, atMs - CLOCKS_DIFFER_MS)),
    endMs: BigInt(atMs + CLOCKS_DIFFER_MS),
  };
  let cursor = '';
  do {
    const request = { accountId, ...range, limit: PAGE, cursor };
    const page = await unaryCall(ledger.listDeposits.bind(ledger), request, await rpc());
    const found = page.deposits.find((deposit) => deposit.depositId === id);
    if (found !== undefined) return found;
    cursor = page.nextCursor;
  } while (cursor !== '');
  return undefined;
}
