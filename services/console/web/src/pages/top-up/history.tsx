import { useMemo } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRange } from '../../url/range.ts';
import { Receipt } from '../shared/receipt.tsx';
import { KINDS } from './deposit-draft.ts';

/** Who credited what and why. */
export function History() {
  const { accountId } = useAccount();
  const path = useMemo(() => ({ account_id: accountId }), [accountId]);
  const [range, setRange] = useRange('1y');
  const list = useList(
    'GET /accounts/{account_id}/deposits',
    { path, query: { ...range.query, limit: 100 } },
    { keepPrevious: true },
  );
  const rows = rowsOf<'GET /accounts/{account_id}/deposits'>(list.data);
  return (
    <Section title="History" actions={<RangePicker range={range} onChange={setRange} presets={['30d', '90d', '1y']} />}>
      {list.isError && rows === undefined ? (
        <ErrorNote title="The history could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Top-ups"
          rows={rows}
          rowId={({ deposit_id }) => deposit_id}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty title="Nothing was credited in this range">
              <p>Deposits, adjustments, refunds and disputes are listed here, with who made them and why.</p>
            </Empty>
          }
          columns={[
            {
              id: 'time',
              title: 'Time',
              priority: 2,
              width: 120,
              phone: 'detail',
              cell: ({ created_at }) => <Time value={created_at} />,
            },
            { id: 'reason', title: 'Reason', phone: 'title', cell: ({ reason }) => reason },
            {
              id: 'kind',
              title: 'Kind',
              width: 160,
              phone: 'end',
              cell: ({ kind, deposit_id }) => (
                <span className="row">
                  {KINDS[kind].label}
                  {kind === 'deposit' && <Receipt depositId={deposit_id} />}
                </span>
              ),
            },
            {
              id: 'by',
              title: 'By',
              width: 144,
              grow: 1,
              cell: ({ created_by }) => created_by ?? <span className="muted">Not recorded</span>,
            },
            {
              id: 'amount',
              title: 'Amount',
              priority: 1,
              width: 144,
              align: 'end',
              phone: 'value',
              cell: ({ amount }) => <Money value={amount} />,
            },
          ]}
        />
      )}
      <MoreFailed what="Older entries" list={list} />
    </Section>
  );
}
