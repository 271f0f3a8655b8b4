import { Agent, type IncomingMessage, request } from 'node:http';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { memoryOf, resetPeak } from '@tollgate/test-support/gateway/memory';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MIB = 1024 * 1024;
const BALANCE = 1_000_000_000n;
/** Responses may use half of it, and those of one account a quarter. */
const MAX_BUFFERED_BYTES = 64 * MIB;
/** Calls of a warm-up, after which code is compiled and the heap is stable. */
const USUAL_CALLS = 1_000;
/** Clients that do not read are disconnected after a minute. */
const CUT = { timeout: 100_000, interval: 500 };
const EVENTS = { 'content-type': 'text/event-stream' };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: { MAX_BODY_BYTES: String(MAX_BUFFERED_BYTES / 2), MAX_BUFFERED_BYTES: String(MAX_BUFFERED_BYTES) },
  });
  const { key } = await gateway.accounts.create(BALANCE);
  expect((await gateway.chat(key, { model: 'small', messages: say('Hi') })).status).toBe(200);
});
afterAll(() => gateway.stop());

const PIECE = 'word '.repeat(13_000);
const DELTA = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: PIECE } }] })}\n\n`;

/** A stream with so many bytes of text, and its end. */
function streamOf(bytes: number): Buffer {
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null };
  return Buffer.from(
    `${DELTA.repeat(Math.ceil(bytes / PIECE.length))}data: ${JSON.stringify(finish)}\n\ndata: [DONE]\n\n`,
  );
}

function wholeOf(bytes: number): Buffer {
  const message = { role: 'assistant', content: 'word '.repeat(bytes / 5) };
  const usage = { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 };
  return Buffer.from(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
}

/** A client that sends a request and does not read its response. */
class DeafClient {
  /** The status of the response, once received. */
  status: number | undefined;
  closed = false;
  readonly #outgoing;

  constructor({ key }: Account, body: object) {
    const { headers = {}, path, body: sent } = chatRequest(key, body);
    const agent = new Agent({ maxSockets: 1 });
    this.#outgoing = request(new URL(path, gateway.baseUrl), { method: 'POST', headers, agent });
    const responded = (response: IncomingMessage) => {
      this.status = response.statusCode;
      response.on('error', () => undefined);
    };
    this.#outgoing.on('response', responded).on('error', () => undefined);
    this.#outgoing.on('close', () => {
      this.closed = true;
    });
    this.#outgoing.end(sent);
  }

  leave(): void {
    this.#outgoing.destroy();
  }
}

const ask = (prompt: string, stream: boolean) => ({ model: 'hostile-openai-chat', messages: say(prompt), stream });

describe('clients that do not read their responses', () => {
  it('a hundred with responses of 70 MB: memory is bounded and released, and others are served', async () => {
    const streamed = gateway.hostile.prepare({ headers: EVENTS, body: streamOf(70_000_000) });
    const buffered = gateway.hostile.prepare({
      headers: { 'content-type': 'application/json' },
      body: wholeOf(70_000_000),
    });
    const fitting = gateway.hostile.prepare({
      headers: { 'content-type': 'application/json' },
      body: wholeOf(7 * MIB),
    });
    const accounts = await Promise.all(Array.from({ length: 5 }, () => gateway.accounts.create(100n * BALANCE)));
    const other = await gateway.accounts.create(BALANCE);
    const serve = async () => (await gateway.chat(other.key, { model: 'small', messages: say('Hi') })).status;
    // The level of a warm process.
    for (let call = 0; call < USUAL_CALLS; call += 1) expect(await serve()).toBe(200);
    resetPeak(gateway);
    const before = memoryOf(gateway).now;
    const clients = accounts.flatMap((account) =>
      Array.from({ length: 20 }, (_, n) =>
        n < 10
          ? new DeafClient(account, ask(streamed, true))
          : new DeafClient(account, ask(n < 15 ? buffered : fitting, false)),
      ),
    );
    const served: number[] = [];
    while (clients.some(({ status, closed }) => status === undefined && !closed) || served.length < 20) {
      served.push(await serve());
    }
    expect([...new Set(served)]).toEqual([200]);
    const statuses = clients.map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 400, 429, 503].includes(status ?? 0))).toEqual([]);
    expect(Math.round((memoryOf(gateway).peak - before) / MIB)).toBeLessThan(400);
    for (const client of clients) client.leave();
    // Node.js collects garbage when there is work.
    const retained = async () => {
      expect(await serve()).toBe(200);
      return memoryOf(gateway).now - before;
    };
    await expect.poll(retained, { timeout: 60_000, interval: 500 }).toBeLessThan(100 * MIB);
  });

  it('one is disconnected after a minute: the upstream call is aborted, and the delivered output charged', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = 'An event of 8 MB, of which its client reads nothing.';
    const controls = { output_tokens: 400, padding_bytes: 8_000_000, stall_after_events: 300 };
    const client = new DeafClient(account, {
      model: 'small',
      messages: say(text),
      stream: true,
      ...simulate(controls),
    });
    const call = () => gateway.simulator.recorder.list().find(({ body }) => body?.includes(text));
    await expect.poll(() => client.status, CUT).toBe(200);
    expect({ state: call()?.state, closed: client.closed }).toEqual({ state: 'open', closed: false });
    await expect.poll(() => call()?.state, CUT).toBe('aborted');
    await expect.poll(async () => (await allRecords(gateway, account)).length, CUT).toBe(1);
    const [record] = await allRecords(gateway, account);
    expect(record).toMatchObject({ status: 'cancelled', streamed: true, usage_estimated: true });
    const output = Number(at(record, 'usage', 'output'));
    const input = Number(at(record, 'usage', 'input'));
    expect(output).toBeGreaterThan(0);
    expect(output).toBeLessThanOrEqual(300);
    expect(costOf(record)).toBe(lineNanos(input, RATES.small.input) + lineNanos(output, RATES.small.output));
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
    client.leave();
  });
});

it("a stream with more text than the account's limit ends with an error", async () => {
  const { key } = await gateway.accounts.create(100n * BALANCE);
  const prompt = gateway.hostile.prepare({ headers: EVENTS, body: streamOf(20 * MIB) });
  const response = await readStream(await open(gateway.baseUrl, chatRequest(key, ask(prompt, true))));
  expect(response.chunks.at(-1)).toMatchObject({ error: { code: 429, type: 'rate_limit_exceeded' } });
});
