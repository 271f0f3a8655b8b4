import { randomBytes } from 'node:crypto';
import { createPool } from '@tollgate/common/postgres/pool';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { leasingSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { pino } from 'pino';

/** A charge of the past, like that of an ingress. */
export interface PastCharge {
  /** Unix milliseconds. */
  atMs: number;
  model: string;
  keyId: string;
  costNanos: bigint;
}

/** Posts charges of requests in the past, at most 31 days ago. @returns their request ids */
export async function postPastCharges(
  databaseUrl: string,
  accountId: string,
  charges: readonly PastCharge[],
): Promise<string[]> {
  const pool = createPool({ url: databaseUrl, size: 1, applicationName: 'past-charges' }, pino({ enabled: false }));
  try {
    const total = charges.reduce((sum, charge) => sum + charge.costNanos, 0n);
    const sessionId = await leasingSession(pool, accountId, total);
    const built = charges.map(({ atMs, model, keyId, costNanos }) =>
      buildCharge({ accountId, sessionId, requestId: idAt(atMs), startedAtMs: BigInt(atMs), model, keyId }, costNanos),
    );
    const outcomes = await settle(pool, ...built);
    if (outcomes.some((outcome) => outcome !== SettleOutcome.POSTED)) throw new Error(`not all posted: ${outcomes}`);
    return built.map((charge) => charge.requestId);
  } finally {
    await pool.end();
  }
}

/** A UUIDv7 of a time. */
function idAt(unixMs: number): string {
  const time = unixMs.toString(16).padStart(12, '0');
  const random = randomBytes(9).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
