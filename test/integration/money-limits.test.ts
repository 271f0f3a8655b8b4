import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { readShortage } from './support/shortage.ts';

const INPUT_TOKENS = 8;
let gateway: Gateway;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
});

/** A request that uses its full output limit. */
function request(fields: object): object {
  return { model: 'small', messages: say('Hi'), ...simulate({ output_tokens: 'max' }), ...fields };
}

/** The maximum cost of a request, as reported to an account without balance. */
async function holdOf(body: object): Promise<bigint> {
  const poor = await gateway.accounts.create(0n);
  const shortage = readShortage(await gateway.chat(poor.key, body));
  expect(shortage).toMatchObject({ balanceNanos: 0n, affordableTokens: 0 });
  return shortage.neededNanos;
}

/** The provider's call for a response. */
function sentUpstream(response: WireResponse): unknown {
  const traceId = String(response.headers['x-trace-id']).replaceAll('-', '');
  return JSON.parse(gateway.simulator.recorder.list(traceId)[0]?.body ?? 'null');
}

async function chargeOf(account: Account, response: WireResponse): Promise<unknown> {
  expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({
    status: 200,
    text: '',
  });
  return recordOf(gateway, account, response.headers['x-request-id']);
}

describe('a balance', () => {
  it.each([
    { max_tokens: 200 },
    { max_completion_tokens: 200 },
    { max_tokens: 70, n: 3 },
    { max_tokens: 200, model: 'odd' },
    { max_tokens: 200, model: 'thinking' },
  ])('of exactly what %j may cost is enough, and one nano-dollar less is not', async (fields) => {
    const body = request(fields);
    const hold = await holdOf(body);
    const account = await gateway.accounts.create(hold - 1n);
    const refused = readShortage(await gateway.chat(account.key, body));
    expect(refused).toMatchObject({ neededNanos: hold, balanceNanos: hold - 1n });
    await gateway.accounts.deposit(account.accountId, 1n);
    const record = await chargeOf(account, await gateway.chat(account.key, body));
    expect(costOf(record)).toBeLessThanOrEqual(hold);
    expect(await balanceOf(gateway, account)).toBe(hold - costOf(record));
  });

  it('of zero rejects every call, without upstream calls and records', async () => {
    const poor = await gateway.accounts.create(0n);
    const calls = gateway.simulator.recorder.stats.calls;
    for (const stream of [false, true]) readShortage(await gateway.chat(poor.key, request({ stream })));
    expect(gateway.simulator.recorder.stats.calls).toBe(calls);
    expect(await balanceOf(gateway, poor)).toBe(0n);
  });

  it('that was topped up serves the next request', async () => {
    const account = await gateway.accounts.create(0n);
    for (let round = 0; round < 3; round += 1) {
      const body = request({ max_tokens: 50 });
      const { neededNanos, balanceNanos } = readShortage(await gateway.chat(account.key, body));
      await gateway.accounts.deposit(account.accountId, neededNanos - balanceNanos);
      await chargeOf(account, await gateway.chat(account.key, body));
    }
  });
});

describe("a client's own output limit", () => {
  it.each([{}, { n: 3 }, { stream: true }])(
    'beyond the balance is refused with the limit that is paid for: %j',
    async (fields) => {
      const wanted = request({ max_tokens: 10_000, ...fields });
      const balance = (await holdOf(wanted)) / 2n;
      const account = await gateway.accounts.create(balance);
      const { affordableTokens, balanceNanos } = readShortage(await gateway.chat(account.key, wanted));
      expect(balanceNanos).toBe(balance);
      expect(affordableTokens).toBeGreaterThan(4_000);
      readShortage(await gateway.chat(account.key, request({ ...fields, max_tokens: affordableTokens + 1 })));
      const response = await gateway.chat(account.key, request({ ...fields, max_tokens: affordableTokens }));
      expect(response.status).toBe(200);
    },
  );

  it('reaches the provider unchanged', async () => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const response = await gateway.chat(account.key, request({ max_tokens: 17 }));
    expect(sentUpstream(response)).toMatchObject({ max_tokens: 17 });
    expect(sentUpstream(response)).not.toHaveProperty('max_completion_tokens');
  });
});

describe('without an output limit of the client', () => {
  it("sends none if the balance covers the model's maximum", async () => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const response = await gateway.chat(account.key, request(simulate({ output_tokens: 3 })));
    expect(sentUpstream(response)).not.toHaveProperty('max_tokens');
    expect(sentUpstream(response)).not.toHaveProperty('max_completion_tokens');
  });

  it.each([1, 4])('and a small balance, the limit is what it affords, for %i choices', async (n) => {
    const balance = 1_000_000n;
    const account = await gateway.accounts.create(balance);
    const response = await gateway.chat(account.key, request({ n }));
    const limit = Number(at(sentUpstream(response), 'max_completion_tokens'));
    expect(limit).toBeGreaterThan(1_000 / n);
    expect(at(response.json, 'usage', 'completion_tokens')).toBe(limit * n);
    const record = await chargeOf(account, response);
    const cost = lineNanos(INPUT_TOKENS, RATES.small.input) + lineNanos(limit * n, RATES.small.output);
    expect(costOf(record)).toBe(cost);
    expect(cost).toBeLessThanOrEqual(balance);
    // One more token per choice would not have fitted beside the input's bound.
    expect(lineNanos((limit + 1) * n, RATES.small.output) + lineNanos(9, RATES.small.input)).toBeGreaterThan(
      balance - lineNanos(200, RATES.small.input),
    );
    expect(await balanceOf(gateway, account)).toBe(balance - cost);
  });

  it('rejects the call if the balance covers fewer than 16 tokens', async () => {
    const hold = await holdOf(request({}));
    expect(hold).toBe(await holdOf(request({ max_tokens: 16 })));
    const account = await gateway.accounts.create(hold - 1n);
    const { affordableTokens } = readShortage(await gateway.chat(account.key, request({})));
    expect(affordableTokens).toBe(15);
    await gateway.accounts.deposit(account.accountId, 1n);
    const response = await gateway.chat(account.key, request({}));
    expect(at(sentUpstream(response), 'max_completion_tokens')).toBe(16);
  });
});

describe('unusual usage', () => {
  const BALANCE = 1_000_000_000n;

  it.each([
    { usage: 'omit', stream: false },
    { usage: 'omit', stream: true },
    { usage: 'zero', stream: false },
    { usage: 'zero', stream: true },
  ])('$usage, stream: $stream, is counted here and charged as an estimate', async ({ usage, stream }) => {
    const account = await gateway.accounts.create(BALANCE);
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const body = { model: 'small', messages: say(text), stream, max_tokens: 400, ...simulate({ text, usage }) };
    const response = await gateway.chat(account.key, body);
    const record = await chargeOf(account, response);
    expect(record).toMatchObject({ status: 'completed', usage_estimated: true });
    for (const bucket of ['input', 'output']) {
      // 900 bytes of English are about 200 tokens.
      expect(at(record, 'usage', bucket)).toBeGreaterThan(150);
      expect(at(record, 'usage', bucket)).toBeLessThan(300);
    }
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
  });

  it('omitted: the body has usage nevertheless, with its cost', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, {
      model: 'small',
      messages: say('Hi'),
      ...simulate({ usage: 'omit' }),
    });
    const record = await chargeOf(account, response);
    expect(at(response.json, 'usage', 'prompt_tokens')).toBe(at(record, 'usage', 'input'));
    expect(at(response.json, 'usage', 'completion_tokens')).toBe(at(record, 'usage', 'output'));
    expect(response.headers['x-request-cost']).toBe(at(record, 'cost'));
    expect(at(response.json, 'usage', 'cost')).toBe(Number(at(record, 'cost')));
  });

  it('late: waits for it', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const body = {
      model: 'small',
      messages: say('Hi'),
      stream: true,
      ...simulate({ output_tokens: 9, usage: 'late', usage_delay_ms: 800 }),
    };
    const record = await chargeOf(account, await gateway.chat(account.key, body));
    expect(record).toMatchObject({ usage_estimated: false, usage: { input: INPUT_TOKENS, output: 9 } });
  });

  it.each([false, true])('beyond the limit is never charged above the hold, stream: %s', async (stream) => {
    // Reports up to ten times the limit are accepted.
    const body = request({ max_tokens: 20, stream, ...simulate({ ignore_limit: true, output_tokens: 190 }) });
    const hold = await holdOf(body);
    const account = await gateway.accounts.create(hold);
    const response = await gateway.chat(account.key, {
      ...body,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    });
    const record = await chargeOf(account, response);
    expect(costOf(record)).toBe(hold);
    expect(textAt(record, 'status')).toBe('completed');
    expect(response.text).toContain(`"cost":${String(at(record, 'cost'))}`);
    expect(await balanceOf(gateway, account)).toBe(0n);
  });
});
