import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel } from '@tollgate/common/cap-periods';
import { CapPeriod, type Ceiling, type Charge, type LeaseState } from '@tollgate/proto/ledger';

export const PERIODS = CAP_PERIODS;
export type Period = CapPeriodLabel;

/** A cap of the only key of an account. */
export interface CapName {
  period: Period;
  startMs: number;
}

/** The only key of each account. */
export const KEY_ID = '0190f4a8-0000-7000-8000-000000000001';

/** The name of a cap, or of the balance. */
export function ceilingOf(cap: CapName | undefined): Ceiling {
  if (cap === undefined) return { nodeId: '', period: CapPeriod.UNSPECIFIED, periodStartMs: 0n };
  return { nodeId: KEY_ID, period: CAP_PERIOD_OF_LABEL[cap.period], periodStartMs: BigInt(cap.startMs) };
}

/** Periods of the caps that a charge was held under. */
export function periodsOf({ caps }: Pick<Charge, 'caps'>): Period[] {
  return PERIODS.filter((period) => caps.includes(CAP_PERIOD_OF_LABEL[period]));
}

/** As they are in messages. */
export const periodNumbers = (periods: readonly Period[]) => periods.map((period) => CAP_PERIOD_OF_LABEL[period]);

/** The figures of a ceiling under its name, as text. */
export function figuresOfCeiling(ceiling: Ceiling | undefined, figures: readonly bigint[]): string {
  return `${ceiling?.nodeId} ${ceiling?.period} ${ceiling?.periodStartMs}: ${figures.join()}`;
}

/** The figures that a state reports. */
export function reportedFigures({ ceilings }: LeaseState): string[] {
  return ceilings.map(({ ceiling, ...of }) => {
    const lease = [of.grantedTotal, of.spentTotal, of.returnedTotal];
    return figuresOfCeiling(ceiling, [...lease, of.leftNanos, of.availableNanos, of.limitNanos, of.revision]);
  });
}
