import { useMemo } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList, useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { Empty, ErrorNote, MoreFailed, Note } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { parseMoney } from '../../format/money.ts';
import { useRange } from '../../url/range.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { DepositDialog } from './deposit-dialog.tsx';
import { KINDS } from './deposit-draft.ts';

/** Balance, who credited what and why, and for operators the form. */
export function TopUpPage() {
  const account = useAccount();
  const path = useMemo(() => ({ account_id: account.accountId }), [account.accountId]);
  const [range, setRange] = useRange('1y');
  const [params, setParams] = useSearchParams();
  const isCrediting = params['credit'] === '1' && account.may('operator');
  const balance = useRead('GET /accounts/{account_id}/balance', { path }, { refetchInterval: 15_000 });
  const list = useList(
    'GET /accounts/{account_id}/deposits',
    { path, query: { ...range.query, limit: 100 } },
    { keepPrevious: true },
  );
  const rows = rowsOf<'GET /accounts/{account_id}/deposits'>(list.data);
  const add = account.may('operator') && (
    <Button look="primary" onPress={() => setParams({ credit: '1' })}>
      Credit account
    </Button>
  );
  return (
    <Page title="Top up" actions={add}>
      {balance.data !== undefined && (
        <Facts
          facts={[
            { label: 'Left', figure: <Money value={balance.data.available} /> },
            { label: 'Held by open requests', figure: <Money value={balance.data.held} /> },
            ...(parseMoney(balance.data.owed) === 0n
              ? []
              : [{ label: 'Owed', figure: <Money value={balance.data.owed} /> }]),
          ]}
        />
      )}
      {balance.isError && balance.data === undefined && (
        <ErrorNote title="The balance could not be loaded." error={balance.error} onRetry={balance.refetch} />
      )}
      {!account.is('operator') && (
        <Note title="How to top up">
          Operators of this gateway credit accounts. Send them the name of this account, the amount and what it is for.
        </Note>
      )}
      <Section
        title="History"
        actions={<RangePicker range={range} onChange={setRange} presets={['30d', '90d', '1y']} />}
      >
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
              { id: 'kind', title: 'Kind', width: 112, phone: 'end', cell: ({ kind }) => KINDS[kind].label },
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
      {isCrediting && <DepositDialog onClose={() => setParams({ credit: undefined })} />}
    </Page>
  );
}
