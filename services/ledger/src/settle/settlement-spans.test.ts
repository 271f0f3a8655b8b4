import { type Context, type SpanOptions, type Tracer, trace } from '@opentelemetry/api';
import { newId, newSpanId, newTraceId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { recordSettlementSpans } from './observe-settlement.ts';
import { settlementRecord } from './settlement-record.ts';
import type { Settlement } from './settler.ts';

interface Started {
  name: string;
  options: SpanOptions | undefined;
  traceId: string | undefined;
  parentId: string | undefined;
  endedAt: unknown;
}

const started: Started[] = [];

/** Keeps what spans were started with. */
const tracer: Pick<Tracer, 'startSpan'> = {
  startSpan(name: string, options?: SpanOptions, context?: Context) {
    const parent = context === undefined ? undefined : trace.getSpanContext(context);
    const one: Started = { name, options, traceId: parent?.traceId, parentId: parent?.spanId, endedAt: undefined };
    started.push(one);
    const span = trace.wrapSpanContext({ traceId: newTraceId(), spanId: newSpanId(), traceFlags: 1 });
    span.end = (time) => {
      one.endedAt = time;
    };
    return span;
  },
};

it('a sampled charge gets a span in its own trace with the times of the commit, another none', () => {
  const owner = { accountId: newId(), sessionId: newId() };
  const traceId = newTraceId();
  const parentId = newSpanId();
  const context = { traceId: Buffer.from(traceId, 'hex'), spanId: Buffer.from(parentId, 'hex') };
  const charges = [
    buildCharge({ ...owner, trace: { ...context, flags: 0 } }),
    buildCharge({ ...owner, trace: { ...context, flags: 1 } }),
    buildCharge(owner),
  ];
  const settlement: Settlement = {
    records: charges.map(settlementRecord),
    plan: { outcomes: [SettleOutcome.POSTED, SettleOutcome.LOSS, SettleOutcome.POSTED], postings: [], quarantined: [] },
    startedAt: 1_000,
    endedAt: 1_005,
  };
  recordSettlementSpans(settlement, tracer);
  expect(started).toEqual([
    {
      name: 'ledger.settle',
      options: expect.objectContaining({
        startTime: 1_000,
        attributes: expect.objectContaining({
          'tollgate.request_id': charges[1]?.requestId,
          'tollgate.settle.outcome': 'loss',
        }),
      }),
      traceId,
      parentId,
      endedAt: 1_005,
    },
  ]);
});
