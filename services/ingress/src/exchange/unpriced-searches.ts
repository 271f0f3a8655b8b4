import type { Logger } from '@tollgate/common/logging';
import type { Metrics } from '../metrics/metrics.ts';

/** Shortest time between two lines about a model at a deployment. */
const INTERVAL_MS = 60_000;
/** Pairs of model and deployment that are remembered; the one that was logged first makes room. */
const MAX_PAIRS = 1_000;

/** Searches of one response. */
export interface UnpricedResponse {
  requestId: string;
  traceId: string;
  model: string;
  provider: string;
  deployment: string;
  searches: number;
}

interface Recent {
  loggedAt: number;
  /** Since then. */
  requests: number;
  searches: number;
}

/**
 * Reports searches that a provider ran for a model without a price for them, so that nobody pays for them: in the metrics at
 * once, and in the log once a minute for each model and deployment, with the latest request.
 */
export class UnpricedSearches {
  readonly #logger: Logger;
  readonly #metrics: Pick<Metrics, 'unpricedSearches'>;
  readonly #now: () => number;
  readonly #recent = new Map<string, Recent>();

  /** @param now a clock in milliseconds that only moves forward */
  constructor(logger: Logger, metrics: Pick<Metrics, 'unpricedSearches'>, now = () => performance.now()) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#now = now;
  }

  report({ requestId, traceId, model, provider, deployment, searches }: UnpricedResponse): void {
    this.#metrics.unpricedSearches(model, deployment, searches);
    const now = this.#now();
    const pair = JSON.stringify([model, deployment]);
    const recent = this.#recent.get(pair);
    if (recent !== undefined && now - recent.loggedAt < INTERVAL_MS) {
      recent.requests += 1;
      recent.searches += searches;
      return;
    }
    this.#remember(pair, now);
    this.#logger.warn(
      {
        request_id: requestId,
        trace_id: traceId,
        model,
        provider,
        deployment,
        requests: (recent?.requests ?? 0) + 1,
        searches: (recent?.searches ?? 0) + searches,
      },
      "searches of a provider are charged at no rate, since the model's price has none",
    );
  }

  #remember(pair: string, loggedAt: number): void {
    this.#recent.delete(pair);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size >= MAX_PAIRS && oldest !== undefined) this.#recent.delete(oldest);
    this.#recent.set(pair, { loggedAt, requests: 0, searches: 0 });
  }
}
