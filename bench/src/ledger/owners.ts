import { openOperatorClients } from '@tollgate/common/actors/operator';
import { CAP_PERIOD_OF_LABEL, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { balanceNeed } from '@tollgate/ledger/testing/lease-call';
import {
  type Charge,
  DepositKind,
  type LeaseRequest,
  type LeaseResponse,
  type LedgerServiceClient,
  type Need,
} from '@tollgate/proto/ledger';

/** Owner of charges: an account, one of its keys with the nodes above it, and the ingress session that leases its credit. */
export type Owner = Path & Pick<Charge, 'sessionId'>;

/** A key, and what its charges count towards. */
type Path = Pick<Charge, 'accountId' | 'keyId' | 'caps' | 'nodes'>;

/** Windows of the caps of each node of a path. */
const WINDOWS: readonly CapPeriodLabel[] = ['day', 'total'];
/** Covers every charge of the longest run. */
const LEASE_NANOS = 10n ** 13n;
const CALL = { deadlineMs: 20_000 };
const LEASES_WITHIN_MS = 30_000;
const YEAR_MS = 365 * 86_400_000;

/** How many accounts and sessions, how many lots of credit each account has, and how many nodes with caps its requests pass. */
export interface OwnersPlan {
  accounts: number;
  sessions: number;
  lots: number;
  /** The key included; 0: nothing has caps. */
  nodes: number;
}

/** Creates accounts with credit and a lease for each session. @returns the owners by session */
export async function createOwners(
  addresses: { auth: string; ledger: string },
  { accounts, sessions, lots, nodes }: OwnersPlan,
): Promise<Owner[][]> {
  const { ledger: client, close } = openOperatorClients(addresses);
  try {
    const keys = Array.from({ length: accounts }, () => newPath(nodes));
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
      await leaseAll(client, sessionId, keys);
      bySession.push(keys.map((key) => ({ ...key, sessionId })));
    }
    return bySession;
  } finally {
    close();
  }
}

function newPath(nodes: number): Path {
  const caps = nodes === 0 ? [] : WINDOWS.map((window) => CAP_PERIOD_OF_LABEL[window]);
  const above = Array.from({ length: Math.max(0, nodes - 1) }, () => ({
    nodeId: newId(),
    caps,
    name: 'benchmark',
    scope: 'project',
  }));
  return { accountId: newId(), keyId: newId(), caps, nodes: above };
}

/** What a path needs of the balance and of each cap. */
function needsOf({ keyId, caps, nodes }: Path): Need[] {
  const ids = caps.length === 0 ? [] : [...nodes.map(({ nodeId }) => nodeId), keyId];
  const needs = ids.flatMap((nodeId) =>
    WINDOWS.map((window) => ({
      ceiling: {
        nodeId,
        period: CAP_PERIOD_OF_LABEL[window],
        periodStartMs: BigInt(periodStart(window, Date.now())),
      },
      grantedTotalNeeded: LEASE_NANOS,
      limitNanos: LEASE_NANOS * 1_000n,
      revision: 1n,
    })),
  );
  return [balanceNeed(LEASE_NANOS), ...needs];
}

/** Opens a session and leases credit of each path to it. */
function leaseAll(client: LedgerServiceClient, sessionId: string, paths: readonly Path[]): Promise<void> {
  const stream = client.lease();
  const send = (message: LeaseRequest['message']) => stream.write({ message });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the ledger granted no leases in time')), LEASES_WITHIN_MS);
    let granted = 0;
    const next = () => {
      const path = paths[granted];
      if (path === undefined) {
        clearTimeout(timer);
        stream.end();
        resolve();
      } else {
        const { accountId } = path;
        const sequence = BigInt(granted + 1);
        send({ $case: 'acquire', value: { accountId, sequence, needs: needsOf(path), prefetch: false } });
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
