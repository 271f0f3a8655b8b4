import type { ProviderCheck } from '@tollgate/proto/router';
import { inputTokensOf, type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import { NO_ADJUSTMENT, priceOfRequest, priceUsage } from '../shared/catalogue/request-price.ts';
import type { RoutableModel } from '../shared/catalogue/route-table.ts';
import { failure, outputTokens, skipped, type Verdict } from './check.ts';
import type { Timed } from './probe-failure.ts';

const NO_TIME = 'there was no time left';
/** A request with less time would only show that it is too little. */
const MIN_CALL_MS = 100;

/** A response that may have usage. */
interface Answer {
  kind: 'response';
  usage: Usage | undefined;
}

/** What a test of a model has found and used so far. */
export class TestRecord {
  readonly #prices: RoutableModel['prices'];
  readonly #startedAtMs = Date.now();
  readonly #endsAt: number;
  readonly #checks: ProviderCheck[] = [];
  #sent = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #costNanos = 0n;

  /** @param timeoutMs the time of all requests together */
  constructor({ prices }: RoutableModel, timeoutMs: number) {
    this.#prices = prices;
    this.#endsAt = performance.now() + timeoutMs;
  }

  result() {
    return {
      checks: this.#checks,
      requests: this.#sent,
      inputTokens: BigInt(this.#inputTokens),
      outputTokens: BigInt(this.#outputTokens),
      costNanos: this.#costNanos,
    };
  }

  /** Sends a request and counts what it uses; undefined if there is no time left. */
  async send<T extends Answer>(probe: (timeoutMs: number) => Promise<Timed<T>>): Promise<Timed<T> | undefined> {
    const timeLeft = this.#endsAt - performance.now();
    if (timeLeft < MIN_CALL_MS) return undefined;
    const result = await probe(timeLeft);
    if (result.kind === 'response' || result.isSent) this.#sent += 1;
    if (result.kind === 'response' && result.usage !== undefined) this.#count(result.usage);
    return result;
  }

  /** Adds a check of a response. */
  add<T extends Answer>(
    name: string,
    required: boolean,
    result: Timed<T> | undefined,
    check: (answered: T) => Verdict,
  ): void {
    if (result === undefined) this.skip(name, required, NO_TIME);
    else this.push(name, required, result.kind === 'response' ? check(result) : failure(result.failure), result);
  }

  /** Adds a check of a request that was not sent. */
  skip(name: string, required: boolean, why = NO_TIME): void {
    this.push(name, required, skipped(why), undefined);
  }

  /** Adds a verdict on a result. */
  push(name: string, required: boolean, verdict: Verdict, result: Timed<Answer> | undefined): void {
    const httpStatus = result === undefined ? 0 : result.kind === 'response' ? 200 : result.failure.status;
    this.#checks.push({ name, required, ...verdict, httpStatus, durationMs: result?.durationMs ?? 0 });
  }

  #count(usage: Usage): void {
    this.#inputTokens += inputTokensOf(usage);
    this.#outputTokens += outputTokens(usage);
    const price = priceOfRequest(this.#prices, this.#startedAtMs, NO_ADJUSTMENT);
    this.#costNanos += priceUsage(price, usageOf(usage), 0).costNanos;
  }
}
