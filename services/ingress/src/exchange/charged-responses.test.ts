import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import {
  clientRequest,
  MINIMAL,
  responseContext,
  streamingClient,
} from '@tollgate/protocols/testing/translate/clients';
import {
  bufferedResponse,
  streamedResponse,
  usageText,
} from '@tollgate/protocols/testing/translate/upstream-responses';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWallet, heldBy, record, request, temporaryFolder, until } from '../../testing/credit/credit-fixture.ts';
import { FakeLedger } from '../../testing/credit/fake-ledger.ts';
import { attemptForTests, exchangeForTests, keyForTests } from '../../testing/exchange-fixture.ts';
import { BufferBudget } from '../shared/buffers/buffer-budget.ts';
import { Metrics } from '../shared/metrics.ts';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import type { Surface } from '../shared/request/surface.ts';
import type { Wallet } from '../wallet/index.ts';
import { BufferedResponse } from './buffered-response.ts';
import { CatalogueGaps } from './catalogue-gaps.ts';
import { StreamRelay } from './stream-relay.ts';

const TEXT = 'These words were delivered.';
const BALANCE = 10_000n;
const HOLD = 200n;
/** So long ago that the charge's record cannot hold the duration. */
const BEFORE_ANY_RECORD = -(2 ** 40);
/** Two records with names of this length exceed a segment of the smallest journal. */
const LONG_NAME = 'x'.repeat(1_500);
const SMALL_JOURNAL_BYTES = 16 * 1_024;

const SURFACES: Readonly<Record<ProtocolName, Surface>> = {
  'openai-chat': 'model',
  'openai-responses': 'model',
  'anthropic-messages': 'messages',
  gemini: 'generative',
};

const logger = createLogger('test', 'silent');
const metrics = new Metrics();
const deps = {
  metrics,
  catalogueGaps: new CatalogueGaps(logger, metrics),
  logger,
  config: { STREAM_KEEP_ALIVE_MS: 60_000 },
  responseBuffers: new BufferBudget(1_024 * 1_024),
};

let ledger: FakeLedger;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let wallet: Wallet;
let servers: Server[];
let logged: string[];

beforeEach(async () => {
  logged = [];
  servers = [];
  vi.spyOn(logger, 'error').mockImplementation((_fields: unknown, message?: string) => {
    logged.push(message ?? '');
  });
  ledger = new FakeLedger();
  await ledger.start();
  folder = await temporaryFolder();
  wallet = createWallet(ledger.client(), folder.path, { journalMaxBytes: SMALL_JOURNAL_BYTES, logger });
  await wallet.start();
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await wallet.drain(0);
  ledger.stop();
  await rm(folder.path, { recursive: true, force: true });
});

interface Call {
  protocol: ProtocolName;
  streamed: boolean;
  /** The usage that the upstream reports, as JSON. */
  usage?: string | undefined;
  keyName?: string;
  startedAt?: number;
}

/** Makes a paid call to an upstream. @returns what the client sees */
async function callUpstream({ protocol, streamed, keyName = 'a key', startedAt = performance.now(), ...call }: Call) {
  const usage = 'usage' in call ? call.usage : usageText(protocol, '7', '5');
  const key = keyForTests({ keyName });
  ledger.deposit(key.accountId, BALANCE);
  const hold = heldBy(await wallet.hold(request(key.accountId, HOLD)));
  let [requestId, traceUuid] = ['', ''];
  const app = express();
  app.post('/', async (_req: TollgateRequest, res: TollgateResponse) => {
    const surface = SURFACES[protocol];
    const exchange = exchangeForTests({ hold, res, key, surface, protocolIn: protocol, streamed, startedAt });
    ({ requestId, traceUuid } = exchange.context);
    const shared = {
      warnings: [],
      errorReader: { read: () => ({ message: '', type: '', code: '', param: '' }), clientMessage: () => '' },
    };
    const parsed = streamed ? streamingClient(protocol) : clientRequest(protocol, MINIMAL[protocol]);
    const attempt = attemptForTests(exchange);
    const receiver = streamed
      ? new StreamRelay(deps, exchange, attempt, {
          ...shared,
          request: parsed,
          transformer: parsed.streamTransformer(responseContext()),
        })
      : new BufferedResponse(deps, exchange, attempt, {
          ...shared,
          transformer: parsed.responseTransformer(responseContext()),
        });
    receiver.attach({ pause: () => undefined, resume: () => undefined, abort: () => undefined });
    const sink = receiver.head(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
    const reply = { text: TEXT, finish: 'stop', usage };
    sink.data(Buffer.from(streamed ? streamedResponse(protocol, reply) : bufferedResponse(protocol, reply)));
    sink.end();
    await receiver.progress.ended;
  });
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const response = await fetch(`http://127.0.0.1:${address.port}/`, { method: 'POST' });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, key, requestId, traceUuid };
}

describe.each(PROTOCOL_NAMES)('a response in %s whose charge cannot be recorded', (protocol) => {
  it('ends with an error event when it is streamed, and is logged', async () => {
    const { status, body, traceUuid } = await callUpstream({ protocol, streamed: true, startedAt: BEFORE_ANY_RECORD });
    expect(status).toBe(200);
    const failedAt = body.indexOf('Something went wrong on our side.');
    expect(failedAt).toBeGreaterThan(body.lastIndexOf(TEXT));
    expect(body).toContain(traceUuid);
    expect(body).not.toContain('"cost"');
    expect(logged).toEqual(['a charge cannot be encoded and is lost', 'a stream could not be charged']);
    expect(wallet.stats()).toMatchObject({ openHolds: 0, unsettled: 0, journalRecords: 0 });
  });

  it('is replaced by the contract’s error when it is buffered', async () => {
    const { status, headers, body, traceUuid } = await callUpstream({
      protocol,
      streamed: false,
      startedAt: BEFORE_ANY_RECORD,
    });
    expect(status).toBe(500);
    expect(headers.get('x-request-cost')).toBeNull();
    expect(JSON.parse(body)).toMatchObject({
      error: { type: 'internal_error', code: 500, message: 'Something went wrong on our side.', details: null },
      trace_id: traceUuid,
    });
    expect(body).not.toContain(TEXT);
    expect(logged).toEqual(['a charge cannot be encoded and is lost', 'a response could not be delivered']);
    expect(wallet.stats()).toMatchObject({ openHolds: 0, unsettled: 0, journalRecords: 0 });
  });
});

describe('a response whose charge the journal cannot write', () => {
  beforeEach(async () => {
    const accountId = newId();
    ledger.deposit(accountId, BALANCE);
    const hold = heldBy(await wallet.hold(request(accountId, HOLD)));
    await hold.capture(record(accountId, 1n, { keyName: LONG_NAME }));
    await until(() => ledger.charges.size === 1);
  });

  it.each([true, false])('is delivered, and charged from memory: streamed %s', async (streamed) => {
    // The next record needs a new segment, whose folder is removed once the hold is made.
    const hold = wallet.hold.bind(wallet);
    vi.spyOn(wallet, 'hold').mockImplementation(async (request) => {
      const result = await hold(request);
      await rm(folder.path, { recursive: true });
      await writeFile(folder.path, 'in the way of the next segment');
      return result;
    });
    const response = await callUpstream({ protocol: 'openai-chat', streamed, keyName: LONG_NAME });
    expect(response.status).toBe(200);
    expect(response.body).toContain(TEXT);
    expect(response.body).not.toContain('internal_error');
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.charges.get(response.requestId)).toMatchObject({ accountId: response.key.accountId, costNanos: 12n });
    expect(ledger.balance(response.key.accountId)).toBe(BALANCE - 12n);
    expect(logged).toContain('the journal cannot be written; keeping charges in memory only');
    expect(wallet.ready()).toBe(false);
  });
});

describe('an implausible usage', () => {
  it.each<[string, string | undefined, number]>([
    ['more than can be', usageText('openai-chat', '1e9', '5'), 1],
    ['no number', usageText('openai-chat', '"many"', '5'), 1],
    ['what can be', usageText('openai-chat', '7', '5'), 0],
    ['nothing at all', undefined, 0],
  ])('is counted once for its deployment where the upstream reports %s', async (_what, usage, times) => {
    const counted = vi.spyOn(metrics, 'implausibleUsage');
    for (const [index, streamed] of [true, false].entries()) {
      const { requestId } = await callUpstream({ protocol: 'openai-chat', streamed, usage });
      await until(() => ledger.charges.has(requestId));
      expect(counted.mock.calls).toEqual(Array(times * (index + 1)).fill(['a-model@a-provider']));
      expect(ledger.charges.get(requestId)?.reportedUsage === '').toBe(times === 0);
    }
  });
});

it.each([true, false])(
  'searches without a price are charged at no rate, and reported: streamed %s',
  async (streamed) => {
    const report = vi.spyOn(deps.catalogueGaps, 'report');
    const usage = '{"input_tokens":7,"output_tokens":5,"server_tool_use":{"web_search_requests":2}}';
    const { requestId } = await callUpstream({ protocol: 'anthropic-messages', streamed, usage });
    await until(() => ledger.charges.has(requestId));
    expect(ledger.charges.get(requestId)).toMatchObject({ costNanos: 12n });
    expect(report.mock.calls).toMatchObject([
      ['price.search', { requestId, model: 'a-model', provider: 'p', deployment: 'a-model@a-provider', searches: 2 }],
    ]);
  },
);

it('names the setting that is missing where a provider reports what it found by itself', async () => {
  const report = vi.spyOn(deps.catalogueGaps, 'report');
  const ordinary = await callUpstream({ protocol: 'openai-chat', streamed: false });
  await until(() => ledger.charges.has(ordinary.requestId));
  expect(report).not.toHaveBeenCalled();
  const usage = usageText('openai-chat', '14100', '5');
  const { requestId } = await callUpstream({ protocol: 'openai-chat', streamed: false, usage });
  await until(() => ledger.charges.has(requestId));
  expect(report.mock.calls).toMatchObject([['web_tools.max_own_searches', { requestId, model: 'a-model' }]]);
});
