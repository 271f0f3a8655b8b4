import { setTimeout as delay } from 'node:timers/promises';
import { parseDollars } from '@tollgate/common/money';
import { z } from 'zod';
import { jsonIn, readText } from '../api/read-body.ts';
import { rootOf, type Target } from './requests.ts';

/** What a gateway says that the requests of a run cost. */
export interface Billing {
  /** Whose interface it was read by. */
  source: 'Tollgate' | 'LiteLLM';
  nanos: bigint;
}

const TIMEOUT_MS = 10_000;
const PAGE_SIZE = 1_000;
/** Pages of a run; one has fewer requests. */
const MAX_PAGES = 100;
/** Gateways bill some time after a response: what is billed has to stay the same for so long. */
const STABLE_MS = 2_000;
const MAX_WAIT_MS = 30_000;

const records = z.object({ data: z.array(z.object({ cost: z.string() })), next_cursor: z.string().nullable() });
const keyInfo = z.object({ info: z.object({ spend: z.number() }) });

/** The bill of one run, read once nothing is added to it any more. */
export class Bill {
  readonly #target: Target;
  readonly #session: string;
  readonly #startedAtMs: number;
  readonly #spentBefore: bigint | undefined;

  private constructor(target: Target, session: string, startedAtMs: number, spentBefore: bigint | undefined) {
    this.#target = target;
    this.#session = session;
    this.#startedAtMs = startedAtMs;
    this.#spentBefore = spentBefore;
  }

  /** Call it before the first request. @param nowMs Unix milliseconds */
  static async begin(target: Target, session: string, nowMs: number): Promise<Bill> {
    return new Bill(target, session, nowMs, await keySpend(target));
  }

  /** @returns undefined when the gateway has no interface that is known here */
  async read(): Promise<Billing | undefined> {
    let last = await this.#current();
    let stableSince = performance.now();
    const end = performance.now() + MAX_WAIT_MS;
    while (last !== undefined && performance.now() < end && performance.now() - stableSince < STABLE_MS) {
      await delay(STABLE_MS / 4);
      const next = await this.#current();
      if (next?.nanos !== last.nanos) stableSince = performance.now();
      last = next;
    }
    return last;
  }

  async #current(): Promise<Billing | undefined> {
    const recorded = await this.#recorded();
    if (recorded !== undefined) return { source: 'Tollgate', nanos: recorded };
    const spent = await keySpend(this.#target);
    if (spent === undefined) return undefined;
    return { source: 'LiteLLM', nanos: spent - (this.#spentBefore ?? 0n) };
  }

  /** The sum of Tollgate's records of the run's session. */
  async #recorded(): Promise<bigint | undefined> {
    const start = Math.floor(this.#startedAtMs / 1_000) - 1;
    const query = new URLSearchParams({
      start: String(start),
      end: String(start + 86_400),
      limit: String(PAGE_SIZE),
      session: this.#session,
    });
    let sum = 0n;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const body = records.safeParse(await getJson(this.#target, `/v1/billing/requests?${query}`));
      if (!body.success) return undefined;
      for (const { cost } of body.data.data) sum += parseDollars(cost) ?? 0n;
      if (body.data.next_cursor === null) return sum;
      query.set('cursor', body.data.next_cursor);
    }
    return undefined;
  }
}

/** What LiteLLM counts for the key. */
async function keySpend(target: Target): Promise<bigint | undefined> {
  const body = keyInfo.safeParse(await getJson(target, '/key/info'));
  // It sends a float; nine decimals are what a nano-dollar has.
  return body.success ? parseDollars(body.data.info.spend.toFixed(9)) : undefined;
}

/** @returns undefined for anything but JSON with a status of success */
async function getJson(target: Target, path: string): Promise<unknown> {
  try {
    const response = await fetch(`${rootOf(target)}${path}`, {
      headers: { authorization: `Bearer ${target.key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok ? jsonIn(await readText(response, 'the gateway')) : undefined;
  } catch {
    return undefined;
  }
}
