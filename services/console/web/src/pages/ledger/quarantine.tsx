import { Link } from 'wouter';
import type { Item } from '../../api/client.ts';
import { loadMoreOf, rowsOf, useChange, useList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote, MoreFailed, Nothing } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { sentence } from '../../format/sentence.ts';
import { outcomeSentence } from './outcome.ts';

type Charge = Item<'GET /operator/quarantine'>;

export function Quarantine() {
  const list = useList('GET /operator/quarantine', { query: { limit: 50 } });
  const repost = useChange('POST /operator/quarantine/repost', {
    failed: 'The charge was not posted.',
    invalidates: [
      'GET /operator/quarantine',
      'GET /operator/ledger',
      'GET /operator/accounts',
      'GET /accounts/{account_id}/balance',
    ],
  });
  const rows = rowsOf<'GET /operator/quarantine'>(list.data);
  const post = ({ account_id, request_id, content_hash }: Charge) =>
    repost.mutate(
      { body: { account_id, request_id, content_hash } },
      {
        onSuccess: ({ outcome, reason, charged }) =>
          toast({
            kind: outcome === 'quarantined' ? 'failed' : 'done',
            message: outcomeSentence(outcome, reason, charged),
          }),
      },
    );
  if (list.isError && rows === undefined) {
    return <ErrorNote title="The quarantine could not be loaded." error={list.error} onRetry={list.refetch} />;
  }
  return (
    <>
      <Table
        label="Quarantined charges"
        columns={columnsOf(post, repost.isPending ? repost.variables.body.request_id : null)}
        rows={rows}
        rowId={({ request_id, content_hash }) => `${request_id} ${content_hash}`}
        onEnd={loadMoreOf(list)}
        loadingMore={list.isFetchingNextPage}
        empty={<Nothing>No quarantined charges. Every charge that ingresses sent was posted.</Nothing>}
      />
      <MoreFailed what="More charges" list={list} />
    </>
  );
}

function columnsOf(onPost: (charge: Charge) => void, pending: string | null): Column<Charge>[] {
  return [
    {
      id: 'request',
      title: 'Request',
      width: 160,
      grow: 1,
      cell: ({ request_id }) => <code data-tip={request_id}>{request_id}</code>,
    },
    {
      id: 'reason',
      title: 'Reason',
      phone: 'detail',
      cell: ({ reason }) => <span data-tip={sentence(reason)}>{sentence(reason)}</span>,
    },
    { id: 'model', title: 'Model', width: 112, grow: 1, priority: 4, cell: ({ model }) => model },
    {
      id: 'account',
      title: 'Account',
      width: 112,
      grow: 1,
      cell: ({ account_id, account_name }) =>
        account_name === '' ? (
          <code data-tip={account_id}>{account_id}</code>
        ) : (
          <Link href={`/accounts/${account_id}/overview`}>{account_name}</Link>
        ),
    },
    {
      id: 'cost',
      title: 'Cost',
      priority: 2,
      width: 128,
      align: 'end',
      phone: 'value',
      cell: ({ cost }) => <Money value={cost} />,
    },
    { id: 'seen', title: 'Last seen', width: 104, cell: ({ last_seen_at }) => <Time value={last_seen_at} /> },
    {
      id: 'post',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 104,
      align: 'end',
      phone: 'end',
      cell: (charge) => (
        <Button
          size="small"
          pending={pending === charge.request_id && 'Posting'}
          aria-label={`Post again: the charge of request ${charge.request_id}`}
          onPress={() => onPost(charge)}
        >
          Post again
        </Button>
      ),
    },
  ];
}
