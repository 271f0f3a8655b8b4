import { useMemo } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { address } from '../../api/client.ts';
import { loadMoreOf } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ExportMenu } from '../../components/export-menu.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { RangePicker, ZonePicker } from '../../components/range-picker.tsx';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { useZone } from '../../format/zone.ts';
import { timeZone } from '../../url/range.ts';
import { requestColumns } from './columns.tsx';
import { isFiltered, type RequestRow } from './filters.ts';
import { FindRequest } from './find-request.tsx';
import styles from './list.module.css';
import { NewRequests } from './new-requests.tsx';
import { RequestFilters } from './request-filters.tsx';
import { type RequestList, useRequestList } from './use-request-list.ts';

/** Requests of a time range, charged and refused, newest first. */
export function RequestsPage() {
  const account = useAccount();
  const { accountId, is } = account;
  const requests = useRequestList();
  const { filters, range, setRange, query, list, rows } = requests;
  const hrefOf = useMemo(
    () => (row: RequestRow) => `/accounts/${accountId}/requests/${row.request_id}` as const,
    [accountId],
  );
  const [zone] = useZone();
  const columns = useMemo(() => requestColumns(hrefOf), [hrefOf]);
  return (
    <Page
      title="Requests"
      about={is('developer') ? 'Requests of the keys that you created, and of keys derived from them.' : undefined}
      actions={
        <>
          <RangePicker range={range} onChange={setRange} presets={['1h', '24h', '7d', '30d', '90d']} />
          <ZonePicker />
          <ExportMenu
            addressOf={(format) =>
              address('GET /accounts/{account_id}/requests/export', {
                path: { account_id: accountId },
                query: { ...query, time_zone: timeZone(zone), format },
              })
            }
          />
        </>
      }
    >
      <div className={styles['bar']}>
        <RequestFilters filters={filters} rows={rows ?? []} />
        <FindRequest />
      </div>
      {rows !== undefined && <NewRequests range={range} filters={filters} rows={rows} onShow={requests.showNew} />}
      {list.isError && rows === undefined ? (
        <ErrorNote title="The requests could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Requests"
          columns={columns}
          rows={rows}
          rowId={({ request_id }) => request_id}
          href={hrefOf}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={<NoRequests requests={requests} />}
        />
      )}
      {rows !== undefined && rows.length > 0 && <End requests={requests} />}
    </Page>
  );
}

/** Where the list ends, or how far back it was searched. */
function End({ requests: { list, searchedTo } }: { requests: RequestList }) {
  if (list.isError) return <MoreFailed what="Older requests" list={list} />;
  if (searchedTo === null) return <p className={`muted small ${styles['end']}`}>No older requests in this range.</p>;
  return (
    <p className={`muted small ${styles['end']}`} role="status">
      Searched back to <Time value={searchedTo} exact />
    </p>
  );
}

function NoRequests({ requests: { list, searchedTo, filters } }: { requests: RequestList }) {
  const { href, may } = useAccount();
  if (searchedTo !== null) {
    return (
      <Empty
        title="No request found so far"
        action={
          <Button onPress={() => void list.fetchNextPage()} pending={list.isFetchingNextPage && 'Searching'}>
            Search further back
          </Button>
        }
      >
        <p>
          Searched back to <Time value={searchedTo} exact />.
        </p>
      </Empty>
    );
  }
  if (isFiltered(filters)) {
    return (
      <Empty title="No request found">
        <p>No request in this range has these filters. Refused requests have no tags and are kept for 7 days.</p>
      </Empty>
    );
  }
  return (
    <Empty
      title="No requests in this range"
      action={
        may('operator', 'owner', 'admin', 'developer') && (
          <ButtonLink href={href('/playground')}>Open the playground</ButtonLink>
        )
      }
    >
      <p>A request appears here when it ends. Choose a longer range, or send one.</p>
    </Empty>
  );
}
