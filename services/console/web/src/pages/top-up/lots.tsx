import type { Output } from '../../api/client.ts';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { EndTime, Time } from '../../components/time.tsx';
import { LOT_KINDS } from './deposit-draft.ts';

type Lot = Output<'GET /accounts/{account_id}/balance'>['lots'][number];

/** What the credit consists of, where that says more than the balance. */
export function Lots({ lots }: { lots: readonly Lot[] }) {
  if (lots.every(({ kind, ends_at }) => kind === 'paid' && ends_at === null)) return null;
  return (
    <Section title="Credit">
      <p className="muted">It is spent in this order. What is left of credit at its end is lost.</p>
      <Table
        label="Credit"
        rows={lots}
        rowId={({ lot_id }) => lot_id}
        columns={[
          { id: 'kind', title: 'Kind', phone: 'title', cell: ({ kind }) => LOT_KINDS[kind].label },
          {
            id: 'since',
            title: 'Since',
            width: 120,
            phone: 'detail',
            cell: ({ created_at }) => <Time value={created_at} />,
          },
          {
            id: 'ends',
            title: 'Ends',
            priority: 1,
            width: 176,
            phone: 'end',
            cell: ({ ends_at }) =>
              ends_at === null ? <span className="muted">Never</span> : <EndTime value={ends_at} />,
          },
          {
            id: 'left',
            title: 'Left',
            priority: 2,
            width: 144,
            align: 'end',
            phone: 'value',
            cell: ({ remaining }) => <Money value={remaining} />,
          },
        ]}
      />
    </Section>
  );
}
