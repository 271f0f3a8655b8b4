import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { metrics, type ObservableResult } from '@opentelemetry/api';
import type { FailureReason } from '../authenticate/result.ts';
import type { PricedLine } from '../pricing/request-price.ts';

/** What the ingress measures. Names and units follow OpenTelemetry's HTTP and GenAI conventions where they have one. */
export class Metrics {
  readonly #requests;
  readonly #tokens;
  readonly #cost;
  readonly #timeToFirstToken;
  readonly #failedAuthentications;
  readonly #implausibleUsage;
  readonly #refusedConnections;
  readonly #meter = metrics.getMeter('tollgate-ingress');

  constructor() {
    this.#requests = this.#meter.createHistogram('http.server.request.duration', {
      unit: 's',
      description: 'From the request accepted to its answer sent.',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] },
    });
    this.#tokens = this.#meter.createCounter('tollgate.tokens', {
      unit: '{token}',
      description: 'Charged usage by bucket.',
    });
    this.#cost = this.#meter.createCounter('tollgate.cost', {
      unit: 'nUSD',
      description: 'Charged cost in nano-dollars.',
    });
    this.#failedAuthentications = this.#meter.createCounter('tollgate.authentication.failures', {
      unit: '{request}',
      description: 'Requests without a good key, by why it is none.',
    });
    this.#refusedConnections = this.#meter.createCounter('tollgate.connections.refused', {
      unit: '{connection}',
      description: 'Connections closed unanswered, as there were as many as the process takes.',
    });
    this.#implausibleUsage = this.#meter.createCounter('tollgate.usage.disbelieved', {
      unit: '{request}',
      description: 'Answers whose reported usage cannot be, so that it was estimated, by deployment.',
    });
    this.#timeToFirstToken = this.#meter.createHistogram('gen_ai.server.time_to_first_token', {
      unit: 's',
      description: 'From the request accepted to the first byte of its answer.',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
    });
  }

  /** Counts one request without a good key. */
  failedAuthentication(reason: FailureReason): void {
    this.#failedAuthentications.add(1, { reason });
  }

  /** Counts one connection beyond those that the process takes. */
  refusedConnection(): void {
    this.#refusedConnections.add(1);
  }

  /** Counts one answered request. `route` is an endpoint's pattern, never a path with ids. */
  request(route: string, status: number, seconds: number): void {
    this.#requests.record(seconds, { 'http.route': route, 'http.response.status_code': status });
  }

  /** Counts one charge. */
  charge(model: string, lines: readonly PricedLine[], costNanos: bigint): void {
    for (const line of lines)
      this.#tokens.add(Number(line.quantity), { 'gen_ai.request.model': model, bucket: line.bucket });
    if (costNanos > 0n) this.#cost.add(Number(costNanos), { 'gen_ai.request.model': model });
  }

  /** Counts one answer whose reported usage was not believed. */
  implausibleUsage(deployment: string): void {
    this.#implausibleUsage.add(1, { deployment });
  }

  timeToFirstToken(model: string, seconds: number): void {
    this.#timeToFirstToken.record(seconds, { 'gen_ai.request.model': model });
  }

  /** Whether each part that requests need can serve now: `tollgate.ready` by `part`, 1 or 0. */
  readiness(parts: Record<string, () => boolean>): void {
    this.#meter
      .createObservableGauge('tollgate.ready', { description: 'Whether the process can serve, by what it needs.' })
      .addCallback((result: ObservableResult) => {
        for (const [part, isReady] of Object.entries(parts)) result.observe(isReady() ? 1 : 0, { part });
      });
  }

  /** Bytes that requests and answers take of what they may: `tollgate.buffered.size` by `of`. */
  buffered(readers: Record<'request' | 'answer', () => number>): void {
    this.#meter
      .createObservableGauge('tollgate.buffered.size', {
        description: 'Bytes of request bodies, decompressed, and of answers held back, that count against the bound.',
      })
      .addCallback((result: ObservableResult) => {
        for (const [of, read] of Object.entries(readers)) result.observe(read(), { of });
      });
  }

  /** Reports how many connections the server has open. */
  connections(server: Pick<Server, 'getConnections'>): void {
    const count = promisify<number>((done) => server.getConnections(done));
    this.#meter
      .createObservableGauge('tollgate.connections', { description: 'Connections of clients, idle ones included.' })
      .addCallback(async (result: ObservableResult) => result.observe(await count()));
  }

  /** A figure read whenever metrics are scraped. */
  gauge(name: string, description: string, read: () => number): void {
    this.#meter
      .createObservableGauge(name, { description })
      .addCallback((result: ObservableResult) => result.observe(read()));
  }
}
