import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { LimitRequestDialog } from './limit-request-dialog.tsx';
import { type LimitRequest, limitName, STATUS } from './limit-text.ts';

const ROUTE = 'GET /accounts/{account_id}/limit-requests';

/** Who asked for higher limits. `request` in the address opens the one with this id. */
export function LimitRequestsPage() {
  const { accountId, may } = useAccount();
  const [params, setParams] = useSearchParams();
  const list = useList(ROUTE, { path: { account_id: accountId }, query: { limit: 100 } }, { refetchInterval: 30_000 });
  const rows = rowsOf<typeof ROUTE>(list.data);
  const { request } = params;
  const open = ({ limit_request_id }: LimitRequest) => setParams({ request: limit_request_id });
  const mayAnswer = may('operator', 'owner', 'admin');
  return (
    <Page
      title="Limit requests"
      about={
        mayAnswer
          ? 'Who was stopped by a limit and asks for more.'
          : 'What you asked for. Owners and admins grant or decline it.'
      }
    >
      {list.isError && rows === undefined ? (
        <ErrorNote title="The limit requests could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Limit requests"
          columns={columnsOf(open, mayAnswer)}
          rows={rows}
          rowId={({ limit_request_id }) => limit_request_id}
          onOpen={open}
          isFaded={({ status }) => status !== 'open'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty title="Nobody asked for more">
              <p>The page of a request that a limit refused has a button to ask for more of it.</p>
            </Empty>
          }
        />
      )}
      <MoreFailed what="Older limit requests" list={list} />
      {request !== undefined && <LimitRequestDialog id={request} onClose={() => setParams({ request: undefined })} />}
    </Page>
  );
}

function columnsOf(open: (request: LimitRequest) => void, mayAnswer: boolean): Column<LimitRequest>[] {
  return [
    {
      id: 'limit',
      title: 'Limit',
      width: 200,
      grow: 2,
      phone: 'title',
      cell: (row) => <span className="strong">{sentenceCase(limitName(row))}</span>,
    },
    { id: 'by', title: 'Asked by', width: 144, grow: 1, priority: 2, cell: ({ asked_by }) => asked_by?.name ?? '' },
    { id: 'reason', title: 'Reason', width: 160, grow: 2, priority: 4, phone: 'detail', cell: ({ reason }) => reason },
    {
      id: 'amount',
      title: 'Asks for',
      width: 96,
      priority: 3,
      align: 'end',
      cell: ({ amount }) => (amount === null ? <span className="muted">More</span> : <Money value={amount} />),
    },
    {
      id: 'granted',
      title: 'Granted',
      width: 96,
      priority: 5,
      align: 'end',
      cell: ({ granted }) => (granted === null ? '' : <Money value={granted} />),
    },
    { id: 'created', title: 'When', width: 112, priority: 6, cell: ({ created_at }) => <Time value={created_at} /> },
    {
      id: 'status',
      title: 'Status',
      width: 96,
      priority: 1,
      phone: 'value',
      cell: ({ status }) => <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>,
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      width: 88,
      priority: 0,
      align: 'end',
      phone: 'end',
      cell: (row) => (
        <Button
          look="quiet"
          size="small"
          aria-label={`${mayAnswer && row.status === 'open' ? 'Answer' : 'See'} the limit request of ${row.asked_by?.name ?? 'nobody'}`}
          onPress={() => open(row)}
        >
          {mayAnswer && row.status === 'open' ? 'Answer' : 'See'}
        </Button>
      ),
    },
  ];
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
