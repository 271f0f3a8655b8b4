import { status } from '@grpc/grpc-js';
import { SettleOutcome, type SettleRequest, type SettleResponse } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { Duplex } from '../../testing/duplex.ts';
import { fundedAccount, leasingSession } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { MAX_BATCH } from '../settle/settler.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());

function openSettle(): Duplex<SettleRequest, SettleResponse> {
  return new Duplex(ledger.client.settle());
}

describe('a settle stream', () => {
  it('responds to every batch with its sequence, on several streams at once', async () => {
    const accountId = await fundedAccount(ledger.pool, 1_000_000n);
    const sessionId = await leasingSession(ledger.pool, accountId, 1_000_000n);
    const streams = Array.from({ length: 4 }, openSettle);
    const responses = await Promise.all(
      streams.map(async (stream) => {
        const sequences: bigint[] = [];
        for (let sequence = 1n; sequence <= 20n; sequence++) {
          const charges = Array.from({ length: Number(sequence) }, () => buildCharge({ accountId, sessionId }, 3n));
          stream.send({ sequence, charges });
        }
        for (let count = 0; count < 20; count++) {
          const { sequence, outcomes } = await stream.next();
          expect(outcomes).toEqual(Array.from({ length: Number(sequence) }, () => SettleOutcome.POSTED));
          sequences.push(sequence);
        }
        stream.end();
        expect(await stream.ended).toBeUndefined();
        return sequences.length;
      }),
    );
    expect(responses).toEqual([20, 20, 20, 20]);
    expect(await brokenInvariants(ledger.pool)).toEqual([]);
  });

  it('takes an empty batch, and refuses one that is too large', async () => {
    const stream = openSettle();
    stream.send({ sequence: 1n, charges: [] });
    expect(await stream.next()).toEqual({ sequence: 1n, outcomes: [] });
    const charge = buildCharge({ accountId: '', sessionId: '' });
    stream.send({ sequence: 2n, charges: Array.from({ length: MAX_BATCH + 1 }, () => charge) });
    expect(await stream.ended).toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
