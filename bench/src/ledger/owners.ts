import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { balanceAcquire } from '@tollgate/ledger/testing/lease-call';
import { DepositKind, type LeaseRequest, type LeaseResponse, type LedgerServiceClient } from '@tollgate/proto/ledger';

/** Owner of charges: an account, one of its keys, and the ingress session that leases its credit. */
export interface Owner {
  accountId: string;
  keyId: string;
  sessionId: string;
}

/** Covers every charge of the longest run. */
const LEASE_NANOS = 10n ** 13n;
const CALL = { deadlineMs: 20_000 };
const LEASES_WITHIN_MS = 30_000;
const YEAR_MS = 365 * 86_400_000;

/** How many accounts and sessions, and how many lots of credit each account has. */
export interface OwnersPlan {
  accounts: number;
  sessions: number;
  lots: number;
}

/** Creates accounts with credit and a lease for each session. @returns the owners by session */
export async function createOwners(
  addresses: { auth: string; ledger: string },
  { accounts, sessions, lots }: OwnersPlan,
): Promise<Owner[][]> {
  const { ledger: client, close } = openOperatorClients(addresses);
  try {
    const keys = Array.from({ length: accounts }, () => ({ accountId: newId(), keyId: newId() }));
    for (const { accountId } of keys) {
      for (let lot = 0; lot < lots; lot += 1) {
        const deposit = {
          accountId,
          kind: DepositKind.DEPOSIT,
          amountNanos: (LEASE_NANOS * BigInt(sessions) * 100n) / BigInt(lots),
          reason: 'Benchmark',
          idempotencyKey: `benchmark-${accountId}-${lot}`,
          ...(lot === 0 ? {} : { endsAtMs: BigInt(Date.now() + lot * YEAR_MS) }),
        };
        await unaryCall(client.deposit.bind(client), deposit, CALL);
      }
    }
    const bySession: Owner[][] = [];
    for (let index = 0; index < sessions; index += 1) {
      const sessionId = newId();
      await leaseAll(
        client,
        sessionId,
        keys.map((key) => key.accountId),
      );
      bySession.push(keys.map((key) => ({ ...key, sessionId })));
    }
    return bySession;
  } finally {
    close();
  }
}

/** Opens a session and leases credit of each account to it. */
function leaseAll(client: LedgerServiceClient, sessionId: string, accountIds: readonly string[]): Promise<void> {
  const stream = client.lease();
  const send = (message: LeaseRequest['message']) => stream.write({ message });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the ledger granted no leases in time')), LEASES_WITHIN_MS);
    let granted = 0;
    const next = () => {
      const accountId = accountIds[granted];
      if (accountId === undefined) {
        clearTimeout(timer);
        stream.end();
        resolve();
      } else {
        send({ $case: 'acquire', value: balanceAcquire(accountId, LEASE_NANOS, BigInt(granted + 1)) });
      }
    };
    stream.on('error', reject);
    stream.on('data', ({ message }: LeaseResponse) => {
      if (message?.$case === 'opened') next();
      if (message?.$case !== 'lease') return;
      if (message.value.refused) return reject(new Error('the ledger rejected a lease'));
      granted += 1;
      next();
    });
    send({ $case: 'open', value: { sessionId, ingressName: 'benchmark' } });
  });
}
