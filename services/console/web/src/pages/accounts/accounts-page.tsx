import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { loadMoreOf, rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { useDelayed } from '../../components/use-delayed.ts';
import { plural } from '../../format/number.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import { SuspendDialog } from '../settings/suspend-dialog.tsx';
import styles from './accounts.module.css';
import { accountColumns } from './columns.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';
import { Sums } from './sums.tsx';

export type AccountRow = Item<'GET /operator/accounts'>;

/** All accounts with their balances. */
export function AccountsPage() {
  const [params, setParams] = useSearchParams();
  const [sort, setSort] = useSort();
  const [suspending, setSuspending] = useState<AccountRow | null>(null);
  const text = params['q'] ?? '';
  const wanted = useDelayed(text.trim(), 150);
  const list = useList(
    'GET /operator/accounts',
    { query: { limit: 200, q: wanted === '' ? undefined : wanted } },
    { keepPrevious: true },
  );
  const rows = rowsOf<'GET /operator/accounts'>(list.data);
  // The API has accounts in the order of creation. Sorting needs all of them.
  const isIncomplete = useWholeList(list, sort !== null);
  const hasNone = rows?.length === 0 && text === '';

  const create = (
    <Button look="primary" onPress={() => setParams({ new: '1' })}>
      Create account
    </Button>
  );
  return (
    <Page title="Accounts" actions={!hasNone && create}>
      <div className={styles['find']} hidden={hasNone}>
        <TextField
          label="Find an account"
          hideLabel
          placeholder="Find by name or id"
          type="search"
          value={text}
          onChange={(q) => setParams({ q })}
        />
        <span className="muted" role="status">
          {/* Its line is kept while the accounts load. */}
          {rows === undefined ? '\u00a0' : plural(rows.length, 'account')}
          {isIncomplete ? ', loading more' : list.hasNextPage && ', more below'}
        </span>
      </div>
      {rows !== undefined && rows.length > 0 && <Sums rows={rows} isComplete={!list.hasNextPage} />}
      {list.isError && rows === undefined ? (
        <ErrorNote title="The accounts could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Accounts"
          columns={accountColumns(setSuspending)}
          rows={rows}
          rowId={({ account_id }) => account_id}
          href={({ account_id }) => `/accounts/${account_id}/overview`}
          sort={sort}
          onSort={setSort}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            wanted === '' ? (
              <Empty title="No accounts yet" action={create}>
                <p>An account has members, keys and a balance. Create one, then invite its owner.</p>
              </Empty>
            ) : (
              <Empty title="No account found">
                <p>No name contains “{wanted}”, and no account has this id.</p>
              </Empty>
            )
          }
        />
      )}
      <MoreFailed what="More accounts" list={list} />
      <CreateAccountDialog isOpen={params['new'] === '1'} onClose={() => setParams({ new: undefined })} />
      {suspending !== null && <SuspendDialog account={suspending} onClose={() => setSuspending(null)} />}
    </Page>
  );
}
