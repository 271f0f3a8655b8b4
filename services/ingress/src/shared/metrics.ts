import type { Server } from 'node:net';
import { promisify } from 'node:util';
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import { meterOf } from '@tollgate/common/telemetry';
import type { PricedLine } from './catalogue/request-price.ts';
import type { FailureReason } from './errors/error-texts.ts';

/** The metrics of the ingress. Names and units follow OpenTelemetry's HTTP and GenAI conventions where these exist. */
export class Metrics {
  readonly #requests;
  readonly #charged;
  readonly #timeToFirstToken;
  readonly #failedAuthentications;
  readonly #implausibleUsage;
  readonly #unpricedOption;
  readonly #missingCredentials;
  readonly #unpricedSearches;
  readonly #refusedConnections;
  readonly #refusals;
  readonly #droppedRefusals;
  readonly #meter = meterOf('tollgate-ingress');

  constructor() {
    this.#requests = this.#meter.createHistogram('http.server.request.duration', {
      unit: 's',
      description: 'From the accepted request to the end of its response.',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] },
    });
    this.#charged = new ChargedTotals(this.#meter);
    this.#failedAuthentications = this.#meter.createCounter('tollgate.authentication.failures', {
      unit: '{request}',
      description: 'Requests without an active key, by reason.',
    });
    this.#refusals = this.#meter.createCounter('tollgate.refusals', {
      unit: '{request}',
      description: 'Refused requests of known accounts, by reason.',
    });
    this.#droppedRefusals = this.#meter.createCounter('tollgate.refusals.dropped', {
      unit: '{request}',
      description: 'Refused requests that were only counted, as there were too many or the ledger was away, by reason.',
    });
    this.#refusedConnections = this.#meter.createCounter('tollgate.connections.refused', {
      unit: '{connection}',
      description: 'Connections closed because there were too many, in all or of one network.',
    });
    this.#missingCredentials = this.#meter.createCounter('tollgate.upstream.credentials.missing', {
      unit: '{attempt}',
      description: 'Failed attempts to obtain a short-lived credential of a cloud, by provider.',
    });
    this.#implausibleUsage = this.#meter.createCounter('tollgate.usage.disbelieved', {
      unit: '{request}',
      description: 'Responses whose reported usage is implausible and was estimated, by deployment.',
    });
    this.#unpricedOption = this.#meter.createCounter('tollgate.price_options.unpriced', {
      description: 'Responses that reported a service tier, speed or place at another price than the one billed',
      unit: '{response}',
    });
    this.#unpricedSearches = this.#meter.createCounter('tollgate.searches.unpriced', {
      unit: '{search}',
      description: 'Searches that a provider reported for a model without a price for them, by model and deployment.',
    });
    this.#timeToFirstToken = this.#meter.createHistogram('gen_ai.server.time_to_first_token', {
      unit: 's',
      description: 'From the accepted request to the first byte of its response.',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
    });
  }

  /** Counts one request without an active key. */
  failedAuthentication(reason: FailureReason): void {
    this.#failedAuthentications.add(1, { reason });
  }

  /** Counts one refused request of a known account. */
  refusal(reason: RefusalReason): void {
    this.#refusals.add(1, { reason });
  }

  /** Counts one refused request that is not sent to the ledger. */
  droppedRefusal(reason: string): void {
    this.#droppedRefusals.add(1, { reason });
  }

  /** Counts one failed attempt to obtain a short-lived credential. */
  missingCredential(provider: string): void {
    this.#missingCredentials.add(1, { provider });
  }

  /** Counts one connection that was closed because there were too many. */
  refusedConnection(): void {
    this.#refusedConnections.add(1);
  }

  /** Counts one request that ended. `route` is an endpoint's pattern, never a path with ids. */
  request(route: string, status: number, seconds: number): void {
    this.#requests.record(seconds, { 'http.route': route, 'http.response.status_code': status });
  }

  /** Counts one charge. */
  charge(model: string, lines: readonly PricedLine[], costNanos: bigint): void {
    this.#charged.add(model, lines, costNanos);
  }

  /** A response reported an option with a value that has no price, or that was not requested to be paid for. */
  unpricedOption(deployment: string, option: string): void {
    this.#unpricedOption.add(1, { deployment, option });
  }

  /** Counts one response whose reported usage is implausible. */
  implausibleUsage(deployment: string): void {
    this.#implausibleUsage.add(1, { deployment });
  }

  /** Counts searches that are charged at no rate. */
  unpricedSearches(model: string, deployment: string, searches: number): void {
    this.#unpricedSearches.add(searches, { 'gen_ai.request.model': model, deployment });
  }

  timeToFirstToken(model: string, seconds: number): void {
    this.#timeToFirstToken.record(seconds, { 'gen_ai.request.model': model });
  }

  /** Whether each part that requests need can serve now: `tollgate.ready` by `part`, 1 or 0. */
  readiness(parts: Record<string, () => boolean>): void {
    this.#meter
      .createObservableGauge('tollgate.ready', { description: 'Whether each part that requests need can serve.' })
      .addCallback((result: ObservableResult) => {
        for (const [part, isReady] of Object.entries(parts)) result.observe(isReady() ? 1 : 0, { part });
      });
  }

  /** Bytes of buffered requests and responses: `tollgate.buffered.size` by `of`. */
  buffered(readers: Record<'request' | 'answer', () => number>): void {
    this.#meter
      .createObservableGauge('tollgate.buffered.size', {
        description:
          'Bytes of request bodies, decompressed, and of buffered responses, that count against MAX_BUFFERED_BYTES.',
      })
      .addCallback((result: ObservableResult) => {
        for (const [of, read] of Object.entries(readers)) result.observe(read(), { of });
      });
  }

  /** Measures the open connections of the server. */
  connections(server: Pick<Server, 'getConnections'>): void {
    const count = promisify<number>((done) => server.getConnections(done));
    this.#meter
      .createObservableGauge('tollgate.connections', {
        description: 'Open connections of clients, idle ones included.',
      })
      .addCallback(async (result: ObservableResult) => result.observe(await count()));
  }

  /** A value read whenever metrics are scraped. */
  gauge(name: string, description: string, read: () => number): void {
    this.#meter
      .createObservableGauge(name, { description })
      .addCallback((result: ObservableResult) => result.observe(read()));
  }
}

/** What was charged for one model. */
interface ModelTotals {
  attributes: Attributes;
  costNanos: bigint;
  byBucket: Map<string, { attributes: Attributes; quantity: bigint }>;
}

/**
 * The metrics of charges. They are summed here and read when metrics are scraped: a counter of OpenTelemetry would sort and
 * serialize its attributes with every addition, several for each request.
 */
class ChargedTotals {
  readonly #byModel = new Map<string, ModelTotals>();

  constructor(meter: Meter) {
    meter
      .createObservableCounter('tollgate.tokens', { unit: '{token}', description: 'Charged usage by bucket.' })
      .addCallback((result) => {
        for (const { byBucket } of this.#byModel.values()) {
          for (const { quantity, attributes } of byBucket.values()) result.observe(Number(quantity), attributes);
        }
      });
    meter
      .createObservableCounter('tollgate.cost', { unit: 'nUSD', description: 'Charged cost in nano-dollars.' })
      .addCallback((result) => {
        for (const { costNanos, attributes } of this.#byModel.values()) {
          if (costNanos > 0n) result.observe(Number(costNanos), attributes);
        }
      });
  }

  /** Adds one charge. */
  add(model: string, lines: readonly PricedLine[], costNanos: bigint): void {
    let totals = this.#byModel.get(model);
    if (totals === undefined) {
      totals = { attributes: { 'gen_ai.request.model': model }, costNanos: 0n, byBucket: new Map() };
      this.#byModel.set(model, totals);
    }
    totals.costNanos += costNanos;
    for (const { bucket, quantity } of lines) {
      const used = totals.byBucket.get(bucket);
      if (used !== undefined) used.quantity += quantity;
      else totals.byBucket.set(bucket, { attributes: { ...totals.attributes, bucket }, quantity });
    }
  }
}
