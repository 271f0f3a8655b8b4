import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import { CapPeriod, type Ceiling, type Charge, type LeaseState } from '@tollgate/proto/ledger';

export const PERIODS = CAP_PERIODS;
export type Period = CeilingPeriodLabel;

/** A cap of a node of an account. */
export interface CapName {
  node: string;
  period: Period;
  startMs: number;
}

/** The keys of each account. */
export const KEYS = ['0190f4a8-0000-7000-8000-000000000001', '0190f4a8-0000-7000-8000-000000000002'] as const;
/** Two projects, and an owner of keys in both. */
const PROJECTS = ['0190f4a8-0000-7000-8000-000000000011', '0190f4a8-0000-7000-8000-000000000012'] as const;
const OWNER = '0190f4a8-0000-7000-8000-000000000021';
/** Sessions as clients name them. */
export const RUNS = ['0190f4a8-0000-8000-8000-000000000031', '0190f4a8-0000-8000-8000-000000000032'] as const;

/** The nodes of accounts, and the periods in which each may have caps. */
export const NODE_PERIODS = [
  ...[...PROJECTS, OWNER, ...KEYS].flatMap((node) => PERIODS.map((period) => ({ node, period }))),
  ...RUNS.map((node) => ({ node, period: 'session' as const })),
];

export function isRun(node: string): boolean {
  return RUNS.some((run) => run === node);
}

/** The periods in which a node may have caps. */
export function periodsOf(node: string): readonly Period[] {
  return isRun(node) ? ['session'] : PERIODS;
}

/** Where a key may be: it moves between these. Root first. */
export const PLACES: readonly (readonly string[])[] = [
  [],
  ...PROJECTS.map((project) => [project]),
  ...PROJECTS.map((project) => [project, OWNER]),
];

/** The name of a cap, or of the balance. */
export function ceilingOf(cap: CapName | undefined): Ceiling {
  if (cap === undefined) return { nodeId: '', period: CapPeriod.UNSPECIFIED, periodStartMs: 0n };
  return { nodeId: cap.node, period: CAP_PERIOD_OF_LABEL[cap.period], periodStartMs: BigInt(cap.startMs) };
}

/** The nodes that a charge counts towards, with the periods of the caps that it was held under. */
export function pathOf({
  keyId,
  caps,
  nodes,
}: Pick<Charge, 'keyId' | 'caps' | 'nodes'>): { node: string; heldUnder: Period[] }[] {
  const named = [...nodes.map(({ nodeId, caps }) => ({ node: nodeId, caps })), { node: keyId, caps }];
  return named.map(({ node, caps }) => {
    return { node, heldUnder: periodsOf(node).filter((period) => caps.includes(CAP_PERIOD_OF_LABEL[period])) };
  });
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
