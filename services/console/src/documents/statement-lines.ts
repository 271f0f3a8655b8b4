import { type StatementLine, StatementLineKind } from '@tollgate/proto/ledger';
import type { ChargeSum, StatementDocument } from './document.ts';

/** What a document lists: of more, the rest is left out, or only days are listed. The CSV file has all lines. */
export interface DocumentLimits {
  /** Of credits and of credit that ended, each. */
  maxEntries: number;
  maxModels: number;
  /** Of days with their models. */
  maxDayLines: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = { maxEntries: 200, maxModels: 200, maxDayLines: 1_000 };

/** Models whose sums are kept; all others have one sum together. */
const MAX_KEPT_MODELS = 10_000;
const OTHER_MODELS = 'Other models';

/** Sums of charges by model and by day, of lines that are added one after the other. */
export class StatementLines {
  readonly #limits: DocumentLimits;
  readonly #credits: StatementLine[] = [];
  readonly #expiries: StatementLine[] = [];
  #creditCount = 0;
  #expiryCount = 0;
  readonly #models = new Map<string, ChargeSum>();
  readonly #days = new Map<bigint, ChargeSum>();
  /** Undefined: there are too many. */
  #dayLines: StatementLine[] | undefined = [];

  constructor(limits: DocumentLimits = DOCUMENT_LIMITS) {
    this.#limits = limits;
  }

  add(line: StatementLine): void {
    switch (line.kind) {
      case StatementLineKind.CHARGES:
        this.#addCharges(line);
        return;
      case StatementLineKind.EXPIRY:
        this.#expiryCount++;
        if (this.#expiries.length < this.#limits.maxEntries) this.#expiries.push(line);
        return;
      case StatementLineKind.DEPOSIT:
      case StatementLineKind.ADJUSTMENT:
      case StatementLineKind.REFUND:
      case StatementLineKind.DISPUTE:
        this.#creditCount++;
        if (this.#credits.length < this.#limits.maxEntries) this.#credits.push(line);
        return;
      case StatementLineKind.UNSPECIFIED:
        throw new Error('a line of a statement has no kind');
      default:
        line.kind satisfies never;
    }
  }

  /** What a document shows of the lines. */
  content(): Pick<StatementDocument, 'credits' | 'models' | 'days' | 'expiries'> {
    const models = [...this.#models].map(([model, sum]) => ({ model, ...sum }));
    // Charges are negative.
    models.sort((a, b) => (a.amountNanos < b.amountNanos ? -1 : a.amountNanos > b.amountNanos ? 1 : 0));
    return {
      credits: { rows: this.#credits, count: this.#creditCount },
      models: { rows: models.slice(0, this.#limits.maxModels), count: models.length },
      days:
        this.#dayLines?.map(({ atMs, model, requests = 0n, amountNanos }) => ({
          atMs,
          model,
          requests,
          amountNanos,
        })) ?? [...this.#days].map(([atMs, sum]) => ({ atMs, model: null, ...sum })),
      expiries: { rows: this.#expiries, count: this.#expiryCount },
    };
  }

  #addCharges(line: StatementLine): void {
    const isKept = this.#models.has(line.model) || this.#models.size < MAX_KEPT_MODELS;
    addTo(this.#models, isKept ? line.model : OTHER_MODELS, line);
    addTo(this.#days, line.atMs, line);
    if (this.#dayLines === undefined) return;
    if (this.#dayLines.length < this.#limits.maxDayLines) this.#dayLines.push(line);
    else this.#dayLines = undefined;
  }
}

function addTo<K>(sums: Map<K, ChargeSum>, key: K, { requests = 0n, amountNanos }: StatementLine): void {
  const sum = sums.get(key) ?? { requests: 0n, amountNanos: 0n };
  sums.set(key, { requests: sum.requests + requests, amountNanos: sum.amountNanos + amountNanos });
}
