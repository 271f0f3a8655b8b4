import { newId, newTraceId } from '@tollgate/common/ids';
import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';

/** Nano-dollars per million that make an amount equal its quantity. */
const UNIT_RATE = 1_000_000n;

/** A well-formed charge of `costNanos`, held in full, that started now; `fields` override. */
export function buildCharge(
  fields: Partial<Charge> & { accountId: string; sessionId: string },
  costNanos = fields.costNanos ?? 10n,
): Charge {
  return {
    requestId: newId(),
    keyId: '0190f4a8-0000-7000-8000-000000000001',
    keyName: 'test key',
    traceId: newTraceId(),
    model: 'gpt-4o-mini',
    provider: 'openai',
    deployment: 'openai-main',
    protocolIn: 'openai-chat',
    protocolOut: 'openai-chat',
    streamed: true,
    status: ChargeStatus.COMPLETED,
    finishReason: 'stop',
    startedAtMs: BigInt(Date.now()),
    firstTokenMs: 120,
    durationMs: 950,
    retries: 0,
    usageEstimated: false,
    lines:
      costNanos > 0n
        ? [{ bucket: 'output', quantity: costNanos, rateNanosPerMillion: UNIT_RATE, amountNanos: costNanos }]
        : [],
    priceVersion: 'v1',
    holdNanos: costNanos,
    costNanos,
    chargedNanos: 0n,
    settledAtMs: 0n,
    trace: undefined,
    discountPpm: 0,
    caps: [],
    tags: {},
    reportedUsage: '',
    clientSessionId: '',
    agentId: '',
    parentAgentId: '',
    httpStatus: 0,
    errorType: '',
    attempts: [],
    nodes: [],
    ...fields,
  };
}
