import type { LedgerMeasurements, StoreRound } from '../ledger/measure.ts';
import type { PlainForm } from '../ledger/plain-insert.ts';
import { ratios, type Spread, spreadOf } from '../stats/compare.ts';

/** Minimum rate of the ledger, as a share of the rate of a plain multi-row INSERT of the same rows. */
const MIN_RATIO = 0.4;

/** One method of storing charges, over all rounds. */
export interface StoreFigure {
  per_second: Spread;
  rows_per_commit: Spread;
  commit_ms_p50: Spread;
  commit_ms_p99: Spread;
  /** CPU microseconds per charge, by process: medians. */
  cpu_per_charge: Record<string, number>;
}

/** The ledger in `bench/results.json`. */
export interface LedgerResults {
  settled: StoreFigure;
  /** Charges of accounts with ten lots of credit. */
  with_lots: StoreFigure;
  /** Charges of requests that pass six nodes with two caps each. */
  with_paths: StoreFigure;
  /** The same rows by COPY, and by an INSERT with an array per column. */
  copied: StoreFigure;
  inserted: StoreFigure;
  /** Ratio of charges settled per second to rows stored by each plain method, by round. */
  ratio_to_insert: Spread;
  ratio_to_copy: Spread;
  /** Charges settled per second with ten lots to those with one, by round. */
  ratio_with_lots: Spread;
  /** Charges settled per second with six nodes of two caps each to those without, by round. */
  ratio_with_paths: Spread;
  /** Of the ratio to INSERT. */
  min_ratio: number;
  within_budget: boolean;
  measured: LedgerMeasurements;
}

export function summariseLedger(measured: LedgerMeasurements): LedgerResults {
  const { rounds } = measured;
  const settled = rounds.map((round) => round.ledger.perSecond);
  const ratioTo = (form: PlainForm) =>
    ratios(
      settled,
      rounds.map(({ plain }) => plain[form].perSecond),
    );
  const toInsert = ratioTo('insert');
  return {
    settled: figureOf(rounds.map((round) => round.ledger)),
    with_lots: figureOf(rounds.map((round) => round.lots)),
    with_paths: figureOf(rounds.map((round) => round.paths)),
    copied: figureOf(rounds.map((round) => round.plain.copy)),
    inserted: figureOf(rounds.map((round) => round.plain.insert)),
    ratio_to_insert: toInsert,
    ratio_to_copy: ratioTo('copy'),
    ratio_with_lots: ratios(
      rounds.map((round) => round.lots.perSecond),
      settled,
    ),
    ratio_with_paths: ratios(
      rounds.map((round) => round.paths.perSecond),
      settled,
    ),
    min_ratio: MIN_RATIO,
    within_budget: toInsert.median >= MIN_RATIO,
    measured,
  };
}

function figureOf(rounds: readonly StoreRound[]): StoreFigure {
  const spread = (pick: (round: StoreRound) => number) => spreadOf(rounds.map(pick));
  const names = Object.keys(rounds[0]?.cpuPerCharge ?? {});
  return {
    per_second: spread((round) => round.perSecond),
    rows_per_commit: spread((round) => round.rowsPerCommit),
    commit_ms_p50: spread((round) => round.commitMsP50),
    commit_ms_p99: spread((round) => round.commitMsP99),
    cpu_per_charge: Object.fromEntries(
      names.map((name) => [name, spread((round) => round.cpuPerCharge[name] ?? 0).median]),
    ),
  };
}

/** The results as text for humans. */
export function renderLedger(results: LedgerResults): string {
  const { durability, accounts, sessions } = results.measured;
  const row = (name: string, figure: StoreFigure) =>
    [
      name.padEnd(14),
      figure.per_second.median.toFixed(0).padStart(8),
      `${figure.per_second.min.toFixed(0)}-${figure.per_second.max.toFixed(0)}`.padStart(14),
      figure.rows_per_commit.median.toFixed(0).padStart(12),
      figure.commit_ms_p50.median.toFixed(0).padStart(8),
      figure.commit_ms_p99.median.toFixed(0).padStart(8),
      ` ${Object.entries(figure.cpu_per_charge)
        .map(([process, value]) => `${process} ${value.toFixed(1)}`)
        .join(', ')}`,
    ].join('  ');
  const text = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;
  return [
    `Ledger: durable charges (fsync ${durability.fsync}, synchronous_commit ${durability.synchronous_commit}, ` +
      `full_page_writes ${durability.full_page_writes}), ${accounts} accounts, ${sessions} ingress sessions`,
    `${''.padEnd(14)}     1/s        (rounds)  rows/commit    p50 ms    p99 ms   CPU us per charge`,
    row('settled', results.settled),
    row('with ten lots', results.with_lots),
    row('with 12 caps', results.with_paths),
    row('plain COPY', results.copied),
    row('plain INSERT', results.inserted),
    `with ten lots of credit to one: ${text(results.ratio_with_lots)}`,
    `with six nodes of two caps each to none: ${text(results.ratio_with_paths)}`,
    `settled to plain COPY: ${text(results.ratio_to_copy)}`,
    `settled to plain INSERT: ${text(results.ratio_to_insert)}, budget >= ${results.min_ratio}: ` +
      `${results.within_budget ? 'within' : 'BELOW'}`,
  ].join('\n');
}
