import type { Logger } from '@tollgate/common/logging';
import type { Metrics } from '../shared/metrics.ts';

/** Shortest time between two lines about a gap of a model at a deployment. */
const INTERVAL_MS = 60_000;
/** Gaps that are remembered; the one that was logged first makes room. */
const MAX_GAPS = 1_000;

/** A setting of a model without which the operator pays for what its provider does. */
export type MissingSetting = 'price.search' | 'web_tools.max_own_searches';

const MESSAGES: Readonly<Record<MissingSetting, string>> = {
  'price.search': "searches of a provider are charged at no rate, since the model's price has none",
  'web_tools.max_own_searches':
    'a provider used far more input than the request has, or searched without being asked to, and the model does not say that it may search by itself',
};

/** A response that shows what is missing. */
export interface GapResponse {
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
 * Reports settings that the catalogue lacks, so that nobody pays for what a provider did: searches without a price in the
 * metrics at once, and each setting in the log once a minute for each model and deployment, with the latest request.
 */
export class CatalogueGaps {
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

  report(setting: MissingSetting, { requestId, traceId, model, provider, deployment, searches }: GapResponse): void {
    if (setting === 'price.search') this.#metrics.unpricedSearches(model, deployment, searches);
    const now = this.#now();
    const gap = JSON.stringify([setting, model, deployment]);
    const recent = this.#recent.get(gap);
    if (recent !== undefined && now - recent.loggedAt < INTERVAL_MS) {
      recent.requests += 1;
      recent.searches += searches;
      return;
    }
    this.#remember(gap, now);
    this.#logger.warn(
      {
        request_id: requestId,
        trace_id: traceId,
        model,
        provider,
        deployment,
        missing_setting: setting,
        requests: (recent?.requests ?? 0) + 1,
        searches: (recent?.searches ?? 0) + searches,
      },
      MESSAGES[setting],
    );
  }

  #remember(gap: string, loggedAt: number): void {
    this.#recent.delete(gap);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size >= MAX_GAPS && oldest !== undefined) this.#recent.delete(oldest);
    this.#recent.set(gap, { loggedAt, requests: 0, searches: 0 });
  }
}
