import { writerOf } from '@tollgate/common/descriptors/json';
import { FAILURE_CAUSES, FAILURE_TEXTS } from '@tollgate/common/failure-causes';
import { REFUSAL_REASONS, REFUSAL_TEXTS } from '@tollgate/common/refusal-reasons';
import type { RequestBill as RequestBillJson, RequestRow as RequestRowJson } from '@tollgate/proto/api-types';
import type { RequestBill, RequestRow } from '@tollgate/proto/console/requests';
import { Charge, ChargeStatus, Refusal } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { billOf, type LedgerRequest, rowOf } from './bills.ts';

const ID = '0190a0b0-0000-7000-8000-000000000000';
const billToJson = writerOf<RequestBill, RequestBillJson>('tollgate.console.v1.RequestBill');
const rowToJson = writerOf<RequestRow, RequestRowJson>('tollgate.console.v1.RequestRow');

const renderBill = (request: LedgerRequest) => billToJson(billOf(request));
const renderRow = (request: LedgerRequest) => rowToJson(rowOf(request));

const charge = Charge.fromPartial({
  requestId: ID,
  keyId: ID,
  keyName: 'ci',
  traceId: '0190a0b0000070008000000000000000',
  model: 'gpt',
  status: ChargeStatus.COMPLETED,
  firstTokenMs: -1,
  durationMs: 900,
  lines: [
    { bucket: 'input', quantity: 1_000n, rateNanosPerMillion: 2_500_000_000n, amountNanos: 2_500_000n },
    { bucket: 'output', quantity: 20n, rateNanosPerMillion: 10_000_000_000n, amountNanos: 200_000n },
    { bucket: 'image', quantity: 3n, rateNanosPerMillion: 0n, amountNanos: 0n },
  ],
  priceVersion: 'abc#over-200000#service_tier=flex',
  holdNanos: 5_000_000n,
  costNanos: 2_700_000n,
  chargedNanos: 2_700_000n,
  settledAtMs: 5n,
  discountPpm: 125_000,
  clientSessionId: 's-1',
});

const refusal = Refusal.fromPartial({
  requestId: ID,
  keyId: ID,
  keyName: 'ci',
  model: 'gpt',
  httpStatus: 402,
  errorType: 'insufficient_balance',
  message: 'needs $1',
  reason: 'insufficient_balance',
  refusedAtMs: 9n,
});

describe('charged request', () => {
  it('is a row with tokens, not items, and what was paid', () => {
    const row = renderRow({ kind: 'charge', charge });
    expect(row).toMatchObject({
      status: 'completed',
      trace_id: '0190a0b0-0000-7000-8000-000000000000',
      tokens: 1_020,
      cost: '0.0027',
      first_token_ms: null,
      session: 's-1',
      reason: null,
    });
  });

  it('is a bill whose lines and hold add up', () => {
    expect(renderBill({ kind: 'charge', charge })).toMatchObject({
      lines: [
        { bucket: 'input', quantity: 1_000, rate_per_million: '2.5', amount: '0.0025' },
        { bucket: 'output', quantity: 20, rate_per_million: '10', amount: '0.0002' },
        { bucket: 'image', quantity: 3, rate_per_million: '0', amount: '0' },
      ],
      hold: '0.005',
      released: '0.0023',
      price_version: 'abc',
      price_tier: { above_input_tokens: 200_000 },
      price_options: { service_tier: 'flex' },
      discount_percent: '12.5',
      refusal: null,
    });
  });
});

describe('failed request', () => {
  const attempt = { deployment: 'gpt@a', startedMs: 2, durationMs: 1_000, cause: 'timeout', providerStatus: 0 };
  const failed = Charge.fromPartial({
    ...charge,
    status: ChargeStatus.FAILED,
    httpStatus: 504,
    errorType: 'internal_error',
    attempts: [{ ...attempt, deployment: 'gpt@b', cause: 'server_error', providerStatus: 503 }, attempt],
  });

  it.each(FAILURE_CAUSES)('says what happened and what to do for %s', (cause) => {
    const request: LedgerRequest = { kind: 'charge', charge: { ...failed, attempts: [{ ...attempt, cause }] } };
    const { happened: sentence, remedy: action, label } = FAILURE_TEXTS[cause];
    expect(renderBill(request)).toMatchObject({
      reason: cause,
      reason_label: label,
      failure: { http_status: 504, error_type: 'internal_error', provider_status: null, sentence, action },
    });
  });

  it('has each attempt', () => {
    expect(renderBill({ kind: 'charge', charge: failed }).attempts).toMatchObject([
      { deployment: 'gpt@b', outcome: 'server_error', outcome_label: 'Provider error', provider_status: 503 },
      { deployment: 'gpt@a', started_ms: 2, duration_ms: 1_000, outcome: 'timeout', provider_status: null },
    ]);
  });

  it('shows the cause of a newer gateway by its name', () => {
    const attempts = [{ ...attempt, cause: 'solar_flare' }];
    const rendered = renderBill({ kind: 'charge', charge: { ...failed, attempts } });
    expect(rendered).toMatchObject({ reason_label: 'solar_flare', failure: { sentence: 'solar_flare', action: '' } });
  });

  it('has no failure in a record of the version before, or where a later attempt succeeded', () => {
    const before = { ...failed, httpStatus: 0, errorType: '', attempts: [] };
    expect(renderBill({ kind: 'charge', charge: before })).toMatchObject({ status: 'failed', failure: null });
    const attempts = [attempt, { ...attempt, cause: '' }];
    const recovered = renderBill({ kind: 'charge', charge: { ...charge, attempts } });
    expect(recovered).toMatchObject({ reason: null, failure: null, attempts: [{}, { outcome: 'responded' }] });
  });
});

describe('refused request', () => {
  it('is a row without cost', () => {
    const row = renderRow({ kind: 'refusal', refusal });
    expect(row).toMatchObject({ status: 'refused', cost: '0', trace_id: null, reason_label: 'Balance too low' });
  });

  it.each(REFUSAL_REASONS)('says what happened and what to do for %s', (reason) => {
    const rendered = renderBill({ kind: 'refusal', refusal: { ...refusal, reason } });
    expect(rendered.refusal).toEqual({
      http_status: 402,
      error_type: 'insufficient_balance',
      message: 'needs $1',
      sentence: REFUSAL_TEXTS[reason].happened,
      action: REFUSAL_TEXTS[reason].remedy,
      limit: null,
    });
  });

  it('that the limit of a session refused offers another session, not another cap', () => {
    const limit = { scope: 'session', id: 'run', name: 'run', window: 'session', projectId: '' };
    const rendered = renderBill({ kind: 'refusal', refusal: { ...refusal, reason: 'cap_exceeded', limit } });
    expect(rendered.refusal).toMatchObject({
      limit: { scope: 'session', id: 'run', project_id: null },
      sentence: expect.stringMatching(/^The cap of session run refused it/),
      action: expect.stringMatching(/^Start another session, /),
    });
  });

  it('shows the message of a reason that is not known', () => {
    const rendered = renderBill({ kind: 'refusal', refusal: { ...refusal, reason: 'a_new_one' } });
    expect(rendered).toMatchObject({ reason_label: 'a_new_one', refusal: { sentence: 'needs $1', action: '' } });
  });
});
