import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { loadMoreOf, rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { plural } from '../../format/number.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import { SuspendDialog } from '../settings/suspend-dialog.tsx';
import styles from './accounts.module.css';
import { accountColumns } from './columns.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

export type AccountRow = Item<'GET /operator/accounts'>;

/** All accounts with their balances. */
export function AccountsPage() {
  const [params, setParams] = useSearchParams();
  const [sort, setSort] = useSort();
  const [suspending, setSuspending] = useState<AccountRow | null>(null);
  const list = useList('GET /operator/accounts', { query: { limit: 200 } });
  const all = rowsOf<'GET /operator/accounts'>(list.data);
  const text = params['q'] ?? '';
  const rows = all?.filter((account) => matches(account, text));
  // The API has accounts in the order of creation. Finding and sorting need all of them.
  const needsAll = text !== '' || sort !== null;
  const isIncomplete = useWholeList(list, needsAll);

  const create = (
    <Button look="primary" onPress={() => setParams({ new: '1' })}>
      Create account
    </Button>
  );
  return (
    <Page title="Accounts" actions={all?.length !== 0 && create}>
      <div className={styles['find']} hidden={all?.length === 0}>
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
      {list.isError && all === undefined ? (
        <ErrorNote title="The accounts could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Accounts"
          columns={accountColumns(setSuspending)}
          // Not empty before all are searched.
          rows={isIncomplete && rows?.length === 0 ? undefined : rows}
          rowId={({ account_id }) => account_id}
          href={({ account_id }) => `/accounts/${account_id}/overview`}
          sort={sort}
          onSort={setSort}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            text === '' ? (
              <Empty title="No accounts yet" action={create}>
                <p>An account has members, keys and a balance. Create one, then invite its owner.</p>
              </Empty>
            ) : (
              <Empty title="No account found">
                <p>No name or id contains “{text}”.</p>
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

function matches({ name, account_id }: AccountRow, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || account_id.startsWith(wanted);
}
