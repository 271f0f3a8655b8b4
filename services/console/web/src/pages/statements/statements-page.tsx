import { useAccount } from '../../account/account-context.tsx';
import type { Item } from '../../api/client.ts';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { longMonth } from '../../format/time.ts';
import { Downloads } from './downloads.tsx';

const ROUTE = 'GET /accounts/{account_id}/statements';
type Statement = Item<typeof ROUTE>;

/** The monthly statements of the account. */
export function StatementsPage() {
  const { accountId, href } = useAccount();
  const list = useList(ROUTE, { path: { account_id: accountId }, query: { limit: 50 } });
  const rows = rowsOf<typeof ROUTE>(list.data);
  const hrefOf = ({ month }: Statement) => href(`/statements/${month}`);
  return (
    <Page title="Statements" about="What moved the balance, month by month (UTC). A statement never changes.">
      {list.isError && rows === undefined ? (
        <ErrorNote title="The statements could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Statements"
          columns={columnsOf(accountId, hrefOf)}
          rows={rows}
          rowId={({ month }) => month}
          href={hrefOf}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty title="There is no statement yet">
              <p>A month has one a day after it ends, from the month of the first top-up on.</p>
            </Empty>
          }
        />
      )}
      <MoreFailed what="Older statements" list={list} />
    </Page>
  );
}

function columnsOf(accountId: string, hrefOf: (statement: Statement) => string): Column<Statement>[] {
  return [
    {
      id: 'month',
      title: 'Month',
      width: 144,
      grow: 1,
      phone: 'title',
      cell: (row) => <RowLink href={hrefOf(row)}>{longMonth(row.month)}</RowLink>,
    },
    {
      id: 'opening',
      title: 'Opening balance',
      width: 144,
      priority: 4,
      align: 'end',
      cell: ({ opening }) => <Money value={opening} />,
    },
    {
      id: 'payments',
      title: 'Payments',
      width: 128,
      priority: 3,
      align: 'end',
      cell: ({ deposits }) => <Money value={deposits} />,
    },
    {
      id: 'charges',
      title: 'Charges',
      width: 128,
      priority: 2,
      align: 'end',
      phone: 'detail',
      cell: ({ charges }) => <Money value={charges} />,
    },
    {
      id: 'closing',
      title: 'Closing balance',
      width: 144,
      priority: 1,
      align: 'end',
      phone: 'value',
      cell: ({ closing }) => <Money value={closing} />,
    },
    {
      id: 'download',
      title: 'Download',
      hideTitle: true,
      width: 128,
      priority: 0,
      align: 'end',
      phone: 'end',
      cell: ({ month }) => <Downloads accountId={accountId} month={month} size="small" />,
    },
  ];
}
