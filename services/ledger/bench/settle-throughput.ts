import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { type Charge, LedgerServiceClient } from '@tollgate/proto/ledger';
import { buildCharge } from '../src/testing/build-charge.ts';
import { Duplex } from '../src/testing/duplex.ts';
import { fundedAccount, leasingSession } from '../src/testing/ledger-calls.ts';

/**
 * Measures how many charges a second a running ledger commits. Arguments: its gRPC address and database URL; optionally
 * rows in all, rows of a batch, accounts, streams. Prints one JSON line.
 */
const [address = '', url = '', rows = '50000', batch = '500', accountCount = '200', streamCount = '2'] =
  process.argv.slice(2);
const logger = createLogger('bench', 'info');
const pool = createPool({ url, size: 4, applicationName: 'tollgate-ledger-bench' }, logger);
const batchRows = Number(batch);
const accounts: { accountId: string; sessionId: string }[] = [];
for (let index = 0; index < Number(accountCount); index++) {
  const accountId = await fundedAccount(pool, 10n ** 15n);
  accounts.push({ accountId, sessionId: await leasingSession(pool, accountId, 10n ** 14n) });
}

function charges(count: number): Charge[] {
  return Array.from({ length: count }, () => {
    const owner = accounts[Math.floor(Math.random() * accounts.length)] ?? { accountId: newId(), sessionId: newId() };
    const input = { bucket: 'input', quantity: 1_200n, rateNanosPerMillion: 150_000_000n, amountNanos: 180_000n };
    const output = { bucket: 'output', quantity: 300n, rateNanosPerMillion: 600_000_000n, amountNanos: 180_000n };
    return buildCharge({ ...owner, lines: [input, output], holdNanos: 1_000_000n, costNanos: 360_000n });
  });
}

const client = createGrpcClient(LedgerServiceClient, address);
const batches = Array.from({ length: Math.ceil(Number(rows) / batchRows) }, () => charges(batchRows));
let sequence = 0n;
const latencies: number[] = [];
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: Number(streamCount) }, async () => {
    const stream = new Duplex(client.settle());
    const sent: number[] = [];
    const send = () => {
      const next = batches.pop();
      if (next === undefined) return false;
      sequence++;
      sent.push(performance.now());
      stream.send({ sequence, charges: next });
      return true;
    };
    send();
    while (sent.length > 0) {
      send();
      await stream.next();
      latencies.push(performance.now() - (sent.shift() ?? 0));
    }
    stream.end();
  }),
);
const seconds = (performance.now() - startedAt) / 1_000;
latencies.sort((a, b) => a - b);
const at = (share: number) => Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? 0);
logger.info({ rows_per_second: Math.round(Number(rows) / seconds), seconds, p50_ms: at(0.5), p99_ms: at(0.99) });
client.close();
await pool.end();
