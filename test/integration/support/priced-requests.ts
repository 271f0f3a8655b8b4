import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, costOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { expect } from 'vitest';
import { readShortage } from './shortage.ts';

/** More than any test spends, nano-dollars. */
export const PLENTY = 1_000_000_000n;

/** A request whose response has as many tokens as it may have. */
export function fullRequest(controls: Record<string, unknown> = {}): object {
  return {
    model: 'small',
    messages: say('Hi'),
    max_tokens: 200,
    ...simulate({ output_tokens: 'max', ...controls }),
  };
}

/** Requests to the ingresses of a gateway in turn, and what they cost. */
export class PricedRequests {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  urlOf(ingress: number): string {
    const urls = this.#gateway.stack.facts.base_urls;
    const url = urls[ingress % urls.length];
    if (url === undefined) throw new Error('there is no ingress');
    return url;
  }

  chatAt(ingress: number, key: string, body: object, headers: Record<string, string> = {}): Promise<WireResponse> {
    const request = chatRequest(key, body);
    return send(this.urlOf(ingress), { ...request, headers: { ...request.headers, ...headers } });
  }

  getAt(path: string, key: string, headers: Record<string, string> = {}): Promise<WireResponse> {
    return send(this.urlOf(0), { method: 'GET', path, headers: { authorization: `Bearer ${key}`, ...headers } });
  }

  /** The maximum cost of a request, and what it costs. */
  async pricesOf(body: object): Promise<{ hold: bigint; cost: bigint }> {
    const poor = await this.#gateway.accounts.create(0n);
    const hold = readShortage(await this.#gateway.chat(poor.key, body)).neededNanos;
    const payer = await this.#gateway.accounts.create(PLENTY);
    expect((await this.chatAt(0, payer.key, body)).status).toBe(200);
    await expect.poll(() => this.spentBy(payer)).toBeGreaterThan(0n);
    return { hold, cost: await this.spentBy(payer) };
  }

  async spentBy(account: Account): Promise<bigint> {
    const records = await allRecords(this.#gateway, account);
    return records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  }

  /** Retries after each 429 and 503, at another ingress. */
  async decided(first: number, key: string, body: object, headers: Record<string, string> = {}): Promise<WireResponse> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const response = await this.chatAt(first + attempt, key, body, headers);
      if (response.status !== 429 && response.status !== 503) return response;
      await delay(Number(response.headers['retry-after-ms'] ?? 1_000));
    }
    throw new Error('never decided');
  }
}
