import { createGrpcClient } from '@tollgate/common/grpc/client';
import {
  type Charge,
  LedgerServiceClient,
  LedgerServiceService,
  SettleOutcome,
  SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';

/** Batch size of an ingress with more to settle than fits into one batch. */
export const SENDER_BATCH = 500;
const IN_FLIGHT = 4;

/** Batches of one stream, already encoded, as an ingress encodes them for its journal. */
export interface StreamLoad {
  batches: Buffer[];
  rows: number;
}

export interface SettleRun {
  elapsedMs: number;
  /** Milliseconds from sending a batch to its response. */
  latenciesMs: number[];
}

export function encodeBatches(charges: readonly Charge[]): StreamLoad {
  const batches: Buffer[] = [];
  for (let from = 0; from < charges.length; from += SENDER_BATCH) {
    const batch = SettleRequest.encode({
      sequence: BigInt(batches.length + 1),
      charges: charges.slice(from, from + SENDER_BATCH),
    });
    batches.push(Buffer.from(batch.finish()));
  }
  return { batches, rows: charges.length };
}

/** Settles all batches, one stream each, as fast as the ledger responds. @throws Error if a charge was not posted */
export async function settleAll(address: string, loads: readonly StreamLoad[]): Promise<SettleRun> {
  // One client per stream, because each ingress has its own connection.
  const clients = loads.map(() => createGrpcClient(LedgerServiceClient, address));
  try {
    const startedAt = performance.now();
    const latencies = await Promise.all(
      loads.map((load, index) => {
        const client = clients[index];
        if (client === undefined) throw new RangeError('no client');
        return settleStream(client, load);
      }),
    );
    return { elapsedMs: performance.now() - startedAt, latenciesMs: latencies.flat() };
  } finally {
    for (const client of clients) client.close();
  }
}

function settleStream(client: LedgerServiceClient, { batches }: StreamLoad): Promise<number[]> {
  const { path, responseDeserialize } = LedgerServiceService.settle;
  const serialize = (bytes: Buffer) => bytes;
  const stream = client.makeBidiStreamRequest(path, serialize, responseDeserialize, {});
  const sentAt: number[] = [];
  const latencies: number[] = [];
  const sendNext = () => {
    const batch = batches[sentAt.length];
    if (batch === undefined) return;
    sentAt.push(performance.now());
    stream.write(batch);
  };
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('data', ({ sequence, outcomes }: SettleResponse) => {
      const at = sentAt[Number(sequence) - 1];
      if (at === undefined || outcomes.some((outcome) => outcome !== SettleOutcome.POSTED)) {
        reject(new Error('the ledger did not post a charge of the benchmark'));
        return;
      }
      latencies.push(performance.now() - at);
      sendNext();
      if (latencies.length < batches.length) return;
      stream.end();
      resolve(latencies);
    });
    for (let count = 0; count < IN_FLIGHT; count += 1) sendNext();
  });
}
