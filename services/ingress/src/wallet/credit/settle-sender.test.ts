import { systemClock } from '@tollgate/common/clock';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { Charge, LedgerServiceClient, SettleRequest } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { record, until } from '../../../testing/credit/credit-fixture.ts';
import { FakeLedger } from '../../../testing/credit/fake-ledger.ts';
import { encodeSettleRequest, SettleSender } from './settle-sender.ts';

it('equals the output of the generated encoder for the same charges', () => {
  const texts = fc.string({ maxLength: 400 }).map((text) => text.toWellFormed());
  const tags = fc.dictionary(texts, texts, { maxKeys: 4 });
  const charges = fc.array(
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), texts, tags).map(([costNanos, keyName, tags]) => {
      const own = { sessionId: newId(), holdNanos: costNanos, chargedNanos: 0n, settledAtMs: 0n, caps: [] };
      return { ...record(newId(), costNanos, { keyName, tags }), ...own };
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(charges, fc.bigInt({ min: 0n, max: 2n ** 60n }), (batch, sequence) => {
      const encoded = batch.map((charge) => ({ payload: Charge.encode(charge).finish() }));
      const generated = SettleRequest.encode({ sequence, charges: batch }).finish();
      expect(encodeSettleRequest({ sequence, charges: encoded }).equals(generated)).toBe(true);
    }),
  );
});

const ACCOUNT = '0198a000-0000-7000-8000-000000000002';
const SESSION = '0198a000-0000-7000-8000-000000000003';

let ledgers: FakeLedger[];
beforeEach(async () => {
  ledgers = [new FakeLedger(), new FakeLedger()];
  for (const ledger of ledgers) await ledger.start();
});
afterEach(() => {
  for (const ledger of ledgers) ledger.stop();
});

it('sends every open batch again when the ledger fails on one of them', async () => {
  const [ledger] = ledgers;
  if (ledger === undefined) throw new Error('there is no ledger');
  const client = ledger.client();
  const sender = new SettleSender({ client, logger: createLogger('test', 'silent'), clock: systemClock });
  const charges = Array.from({ length: 2_000 }, () =>
    Charge.fromPartial({ ...record(ACCOUNT, 0n), sessionId: SESSION }),
  );
  const settled: string[] = [];
  try {
    ledger.settlementsHeld = true;
    for (const charge of charges) {
      const { requestId } = charge;
      const payload = Charge.encode(charge).finish();
      sender.send({ payload, segment: undefined, pendingSinceMs: 0, settled: () => void settled.push(requestId) });
    }
    await until(() => ledger.batches.length === 4);
    ledger.poison.add(charges[0]?.requestId ?? '');
    ledger.releaseSettlements();
    await until(() => sender.unsettled <= 1);
    expect(settled.toSorted()).toEqual(
      charges
        .slice(1)
        .map(({ requestId }) => requestId)
        .toSorted(),
    );
    expect(ledger.charges.size).toBe(charges.length - 1);
  } finally {
    sender.stop();
    client.close();
  }
});

it('gathers records, until something waits for one of them', async () => {
  const [ledger] = ledgers;
  if (ledger === undefined) throw new Error('there is no ledger');
  const client = ledger.client();
  const sender = new SettleSender({ client, logger: createLogger('test', 'silent'), clock: systemClock });
  const send = (urgent = false) =>
    new Promise<void>((settled) => {
      const payload = Charge.encode(Charge.fromPartial({ ...record(ACCOUNT, 0n), sessionId: SESSION })).finish();
      sender.send({ payload, segment: undefined, pendingSinceMs: 0, urgent, settled: () => settled() });
    });
  try {
    for (let count = 0; count < 20; count += 1) {
      void send();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => sender.unsettled === 0);
    void send();
    sender.sendNow();
    void send();
    await until(() => sender.unsettled === 0);
    expect(ledger.batches).toEqual([20, 1, 1]);
    ledger.settlementsHeld = true;
    const first = send(true);
    await until(() => ledger.batches.length === 4);
    void send();
    sender.sendNow();
    ledger.releaseSettlements();
    // The second one follows as soon as the first is settled, and so without the third.
    await first;
    void send();
    await until(() => sender.unsettled === 0);
    expect(ledger.batches).toEqual([20, 1, 1, 1, 1, 1]);
  } finally {
    sender.stop();
    client.close();
  }
});

it('settles with each replica of the ledger in turn', async () => {
  const client = createGrpcClient(LedgerServiceClient, `ipv4:${ledgers.map(({ address }) => address).join(',')}`);
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const sender = new SettleSender({ client, logger: createLogger('test', 'silent'), clock });
  const settleOne = async () => {
    const before = ledgers.map(({ charges }) => charges.size);
    let settled = false;
    const charge = Charge.fromPartial({ ...record(ACCOUNT, 0n), sessionId: SESSION });
    sender.send({
      pendingSinceMs: 0,
      payload: Charge.encode(charge).finish(),
      segment: undefined,
      settled: () => {
        settled = true;
      },
    });
    await until(() => settled);
    return ledgers.findIndex(({ charges }, index) => charges.size > (before[index] ?? 0));
  };
  try {
    const reached = new Set<number>();
    // The second replica may not be connected at first.
    for (let minutes = 0; reached.size < ledgers.length && minutes < 50; minutes += 1) {
      const one = await settleOne();
      expect(await settleOne()).toBe(one);
      reached.add(one);
      nowMs += 60_000;
    }
    expect(reached.size).toBe(ledgers.length);
  } finally {
    sender.stop();
    client.close();
  }
});
