import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import { Badge } from '../../components/badge.tsx';
import { Money } from '../../components/money.tsx';
import type { Column } from '../../components/table/table.tsx';
import { count } from '../../format/number.ts';

type BillDay = Item<'GET /operator/providers/{provider}/bills'>;

/** Billed above metered, in one cell. */
function pair(
  id: string,
  title: string,
  values: (row: BillDay) => [billed: ReactNode, metered: ReactNode],
  place: Partial<Column<BillDay>> = {},
): Column<BillDay> {
  return {
    id,
    title,
    width: 168,
    align: 'end',
    ...place,
    cell: (row) => {
      const [billed, metered] = values(row);
      return (
        <span data-tip="Billed / metered">
          {billed ?? <span className="muted">–</span>} / {metered ?? <span className="muted">–</span>}
        </span>
      );
    },
  };
}

const tokens = (value: number | null) => (value === null ? null : count(value));
const money = (value: string | null) => (value === null ? null : <Money value={value} />);

export const BILL_COLUMNS: Column<BillDay>[] = [
  { id: 'model', title: 'Model', width: 168, grow: 1, phone: 'title', cell: ({ model }) => <code>{model}</code> },
  { id: 'day', title: 'Day', width: 104, phone: 'detail', cell: ({ day }) => day },
  {
    id: 'state',
    title: 'State',
    width: 96,
    phone: 'end',
    cell: ({ differs }) => (differs ? <Badge tone="warn">Differs</Badge> : <span className="muted">Agrees</span>),
  },
  pair('input', 'Input, billed / metered', (row) => [
    tokens(row.billed_input_tokens),
    tokens(row.metered_input_tokens),
  ]),
  pair('cache', 'Cache reads', (row) => [tokens(row.billed_cache_read_tokens), tokens(row.metered_cache_read_tokens)], {
    priority: 4,
  }),
  pair('output', 'Output', (row) => [tokens(row.billed_output_tokens), tokens(row.metered_output_tokens)], {
    priority: 3,
  }),
  pair('cost', 'Cost', (row) => [money(row.billed_cost), money(row.metered_cost)], { phone: 'value', width: 184 }),
];
