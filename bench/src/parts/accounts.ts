import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { CreateKeyRequest } from '@tollgate/proto/auth';
import { DepositKind } from '@tollgate/proto/ledger';

const CALL = { deadlineMs: 20_000 };
/** Enough for every request of the longest run. */
const CREDIT_NANOS = 100_000n * NANOS_PER_DOLLAR;

/** Creates accounts with credit and one key each. @returns the keys */
export async function createAccounts(grpc: { auth: string; ledger: string }, count: number): Promise<string[]> {
  const { auth, ledger, close } = openOperatorClients(grpc, 'benchmark');
  const keys: string[] = [];
  try {
    for (let index = 1; index <= count; index += 1) {
      const name = `Benchmark ${index}`;
      const { account } = await unaryCall(auth.createAccount.bind(auth), { name, idempotencyKey: '' }, CALL);
      if (account === undefined) throw new Error('auth returned no account');
      const { accountId } = account;
      const credit = { accountId, kind: DepositKind.DEPOSIT, amountNanos: CREDIT_NANOS, reason: 'Benchmark' };
      await unaryCall(ledger.deposit.bind(ledger), { ...credit, idempotencyKey: `benchmark-${accountId}` }, CALL);
      const key = CreateKeyRequest.fromPartial({ accountId, name });
      const { secret } = await unaryCall(auth.createKey.bind(auth), key, CALL);
      keys.push(secret);
    }
    return keys;
  } finally {
    close();
  }
}
