import type { Attributes } from '@opentelemetry/api';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { PairMap } from '../store/batch.ts';
import { createSettlementReporter } from './observe-settlement.ts';
import { planSettlement } from './plan-settlement.ts';
import { settlementRecord } from './settlement-record.ts';

const DAY_MS = 86_400_000;

it('logs a separate error for a request that is sent again with different content', () => {
  const lines: Record<string, unknown>[] = [];
  const counts: Record<string, number> = {};
  const meter = {
    createCounter: (name: string) => ({
      add: (value: number, { reason }: Attributes = {}) => {
        const key = `${name}/${reason}`;
        counts[key] = (counts[key] ?? 0) + value;
      },
    }),
    createHistogram: () => ({ record: () => undefined }),
  };
  const logger = createLogger('test', 'info', { destination: { write: (line) => void lines.push(JSON.parse(line)) } });

  const owner = { accountId: newId(), sessionId: newId() };
  const charge = buildCharge(owner, 5n);
  const charges = [
    charge,
    buildCharge({ ...owner, requestId: charge.requestId }, 7n),
    charge,
    buildCharge({ ...owner, traceId: '' }),
  ];
  const records = charges.map(settlementRecord);
  const accounts = new Set([owner.accountId]);
  const state = {
    nowMs: BigInt(Date.now()),
    accounts,
    remaining: new PairMap<bigint>(),
    posted: new PairMap<string>(),
  };
  const plan = planSettlement(records, state, DAY_MS);
  createSettlementReporter(logger, meter)({ records, plan, startedAt: 0, endedAt: 1 });

  const errors = lines.filter((line) => line['level'] === 50 || line['level'] === 'error');
  expect(errors).toEqual([
    expect.objectContaining({
      msg: 'requests were settled again with another content',
      count: 1,
      records: [expect.objectContaining({ request_id: charge.requestId, account_id: owner.accountId })],
    }),
    expect.objectContaining({ msg: 'settlement records were quarantined', count: 1 }),
  ]);
  expect(counts).toMatchObject({
    'tollgate_ledger_quarantined/other_content': 1,
    'tollgate_ledger_quarantined/malformed': 1,
    'tollgate_ledger_quarantined/out_of_time': 0,
    'tollgate_ledger_operator_loss_nanos/above_hold': 0,
  });
});
