import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@tollgate/test-support/gateway/otlp-receiver';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VALID_UUID } from './support/errors.ts';

const SECRET_PROMPT = 'the-prompt-nobody-may-read';
const ALL_SERVICES = ['tollgate-auth', 'tollgate-ingress', 'tollgate-ledger', 'tollgate-router'];
let receiver: OtlpReceiver;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
    },
  });
  account = await gateway.accounts.create(1_000_000_000n);
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

function traceIdOf(response: WireResponse): string {
  return textAt(response.headers, 'x-trace-id').replaceAll('-', '');
}

function servicesOf(traceId: string): string[] {
  return [...new Set(receiver.spansOf(traceId).map((span) => span.service))].sort();
}

/** The spans of a trace with a single root, after waiting for these services' spans. */
async function spansOf(traceId: string, services: string[]): Promise<ReceivedSpan[]> {
  const isWhole = () => {
    expect(servicesOf(traceId)).toEqual(services);
    expectOneTree(receiver.spansOf(traceId));
  };
  await vi.waitFor(isWhole, { timeout: 30_000 });
  return receiver.spansOf(traceId);
}

function logLines(service: string, traceId: string): unknown[] {
  return gateway.stack.logs
    .read(service)
    .filter((line) => line.startsWith('{') && line.includes(traceId))
    .map((line): unknown => JSON.parse(line));
}

/** Expects every span but one to have its parent in the trace. */
function expectOneTree(spans: readonly ReceivedSpan[]): ReceivedSpan {
  const ids = new Set(spans.map((span) => span.spanId));
  const roots = spans.filter((span) => !ids.has(span.parentSpanId));
  expect(roots.map((span) => `${span.service} ${span.name}`)).toHaveLength(1);
  const [root] = roots;
  if (root === undefined) throw new Error('the trace has no root');
  return root;
}

describe('the trace of a request with a cold key', () => {
  it('is the same in the header, the provider’s traceparent, the logs, and the spans of all services', async () => {
    const cold = await gateway.accounts.createKey(account.accountId);
    const body = { model: 'small', messages: say(SECRET_PROMPT), ...simulate({ output_tokens: 5 }) };
    const response = await gateway.chat(cold.key, body);
    expect(response.status).toBe(200);
    expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
    const traceId = traceIdOf(response);
    const spans = await spansOf(traceId, ALL_SERVICES);
    const root = expectOneTree(spans);
    expect(root).toMatchObject({ service: 'tollgate-ingress', name: 'POST /v1/chat/completions' });
    expect(root.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'tollgate.request_id': response.headers['x-request-id'],
      'tollgate.account_id': account.accountId,
    });
    const calls = gateway.simulator.recorder.list(traceId);
    expect(calls).toHaveLength(1);
    const parent = String(calls[0]?.headers['traceparent']).split('-')[2];
    const upstream = spans.find((span) => span.spanId === parent);
    expect(upstream).toMatchObject({ service: 'tollgate-ingress', parentSpanId: root.spanId });
    expect(upstream?.attributes).toMatchObject({ 'gen_ai.request.model': 'sim-upstream-1' });
    const lines = logLines('ingress', traceId);
    expect(lines).toContainEqual(
      expect.objectContaining({
        trace_id: traceId,
        request_id: response.headers['x-request-id'],
        account_id: account.accountId,
        key_id: cold.keyId,
        status: 200,
      }),
    );
  });

  it('has no auth span once the key is cached', async () => {
    const response = await gateway.chat(account.key, { model: 'small', messages: say('Hi') });
    expect(response.status).toBe(200);
    const warm = await gateway.chat(account.key, { model: 'small', messages: say('Hi') });
    await spansOf(traceIdOf(warm), ALL_SERVICES.slice(1));
  });
});

describe('the trace of a failure', () => {
  it('is the same in the header, the error body, the log and the spans', async () => {
    const body = { model: 'breakable-1', messages: say('Hi'), ...simulate({ fail: 500 }) };
    const response = await gateway.chat(account.key, body);
    expect(response.status).toBe(502);
    expect(at(response.json, 'trace_id')).toBe(response.headers['x-trace-id']);
    const traceId = traceIdOf(response);
    expectOneTree(await spansOf(traceId, ALL_SERVICES.slice(1)));
    expect(gateway.simulator.recorder.list(traceId)).toHaveLength(1);
    expect(logLines('ingress', traceId)).toContainEqual(expect.objectContaining({ msg: 'upstream call failed' }));
  });

  it('exists for a rejected key', async () => {
    const response = await gateway.send({ path: '/v1/models' });
    const spans = await spansOf(traceIdOf(response), ['tollgate-ingress']);
    expect(spans[0]?.attributes).toMatchObject({ 'http.response.status_code': expect.anything() });
  });
});

it("a client's own trace is linked, not followed", async () => {
  const mine = '0123456789abcdef0123456789abcdef';
  const response = await gateway.send({
    path: '/v1/models',
    headers: { 'x-api-key': account.key, traceparent: `00-${mine}-0123456789abcdef-01` },
  });
  const [span] = await spansOf(traceIdOf(response), ['tollgate-ingress']);
  expect(span?.links).toEqual([mine]);
  expect(receiver.spansOf(mine)).toEqual([]);
});

it('no key, prompt or completion is in any span or log', async () => {
  const secret = 'the-answer-nobody-may-read';
  const body = { model: 'small', messages: say(SECRET_PROMPT), stream: true, ...simulate({ text: secret }) };
  const response = await gateway.chat(account.key, body);
  await spansOf(traceIdOf(response), ALL_SERVICES.slice(1));
  const logs = ['ingress', 'auth', 'ledger', 'router']
    .flatMap((service) => gateway.stack.logs.read(service))
    .join('\n');
  for (const text of [receiver.raw(), logs]) {
    expect(text).not.toContain(SECRET_PROMPT);
    expect(text).not.toContain('nobody-may-read');
    expect(text).not.toContain(account.key.slice(12, -10));
  }
});

describe('an unreachable collector', () => {
  it('fails no request, and is logged', async () => {
    await receiver.stop();
    const response = await gateway.chat(account.key, { model: 'small', messages: say(SECRET_PROMPT) });
    expect(response.status).toBe(200);
    const problems = () => gateway.stack.logs.read('ingress').filter((line) => line.includes('OpenTelemetry reports'));
    await vi.waitFor(() => expect(problems()).toHaveLength(1), { timeout: 60_000 });
    expect(JSON.parse(problems()[0] ?? '')).toMatchObject({ level: 'error', service: 'ingress', suppressed: 0 });
    expect(problems()[0]).toContain('ECONNREFUSED');
  });
});
