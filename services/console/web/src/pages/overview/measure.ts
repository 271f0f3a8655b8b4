import type { Amounts } from '../../components/chart/amounts.ts';
import { approximateDollars, exactMoney, parseMoney, shortMoney, toMoney } from '../../format/money.ts';
import { compactCount, count } from '../../format/number.ts';
import type { UsageRow } from './usage-series.ts';

/** What a chart of usage shows. */
export interface Measure extends Amounts {
  /** As the first word of a title. */
  name: string;
  of: (row: Pick<UsageRow, 'cost' | 'tokens'>) => bigint;
}

const spend: Measure = {
  name: 'Spend',
  of: ({ cost }) => parseMoney(cost),
  exact: (nanos) => exactMoney(toMoney(nanos)),
  short: (nanos) => shortMoney(toMoney(nanos)),
  approximate: (nanos) => approximateDollars(toMoney(nanos)),
  axis: (dollars) => {
    if (dollars === 0) return '$0';
    return dollars >= 1_000 ? `$${Number((dollars / 1_000).toPrecision(3))}k` : `$${Number(dollars.toPrecision(3))}`;
  },
};

const tokens: Measure = {
  name: 'Tokens',
  of: (row) => BigInt(row.tokens),
  exact: (quantity) => count(Number(quantity)),
  short: (quantity) => compactCount(Number(quantity)),
  approximate: Number,
  axis: compactCount,
};

export const MEASURES = { spend, tokens } as const;
export type MeasureName = keyof typeof MEASURES;
