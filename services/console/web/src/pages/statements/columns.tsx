import { Money } from '../../components/money.tsx';
import type { Column } from '../../components/table/table.tsx';
import { EndTime } from '../../components/time.tsx';
import { compareMoney } from '../../format/money.ts';
import { count } from '../../format/number.ts';
import { day } from '../../format/time.ts';
import { Receipt } from '../shared/receipt.tsx';
import { KINDS, LOT_KINDS } from '../top-up/deposit-draft.ts';
import type { Line, ModelSum } from './sums.ts';

/** A line of the summary. */
export interface Part {
  label: string;
  amount: string;
}

function amount<Row extends { amount: string }>(): Column<Row> {
  return {
    id: 'amount',
    title: 'Amount',
    width: 176,
    align: 'end',
    phone: 'value',
    compare: (left, right) => compareMoney(left.amount, right.amount),
    cell: (row) => <Money value={row.amount} exact />,
  };
}

function requests<Row extends { requests: number | null }>(): Column<Row> {
  return {
    id: 'requests',
    title: 'Requests',
    width: 112,
    align: 'end',
    phone: 'end',
    cell: (row) => count(row.requests ?? 0),
  };
}

const dayColumn: Column<Line> = {
  id: 'day',
  title: 'Day',
  width: 120,
  phone: 'detail',
  cell: ({ at }) => day(at, 'utc'),
};

export const PART_COLUMNS: readonly Column<Part>[] = [
  { id: 'label', title: 'Part', phone: 'title', cell: ({ label }) => label },
  amount(),
];

export const CREDIT_COLUMNS: readonly Column<Line>[] = [
  {
    id: 'description',
    title: 'Description',
    phone: 'title',
    cell: ({ description, lot_kind, ends_at }) => (
      <span className="row">
        {description}
        {lot_kind !== null && lot_kind !== 'paid' && <span className="muted">{LOT_KINDS[lot_kind].label}</span>}
        {ends_at !== null && (
          <span className="muted">
            ends <EndTime value={ends_at} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'kind',
    title: 'Kind',
    width: 160,
    phone: 'end',
    cell: ({ kind, reference }) => (
      <span className="row">
        {kind === 'charges' || kind === 'expiry' ? null : KINDS[kind].label}
        {kind === 'deposit' && reference !== null && <Receipt depositId={reference} />}
      </span>
    ),
  },
  dayColumn,
  amount(),
];

export const MODEL_COLUMNS: readonly Column<ModelSum>[] = [
  { id: 'model', title: 'Model', phone: 'title', cell: ({ model }) => model },
  requests(),
  amount(),
];

export const DAY_COLUMNS: readonly Column<Line>[] = [
  { id: 'model', title: 'Model', phone: 'title', cell: ({ model }) => model },
  dayColumn,
  requests(),
  amount(),
];

export const EXPIRY_COLUMNS: readonly Column<Line>[] = [
  { id: 'credit', title: 'Credit', phone: 'title', cell: ({ reference }) => <code>{reference}</code> },
  dayColumn,
  amount(),
];
