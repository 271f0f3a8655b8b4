import type { Attributes, Meter } from '@opentelemetry/api';
import type { PricedLine } from '../catalogue/request-price.ts';

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
export class ChargedTotals {
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
