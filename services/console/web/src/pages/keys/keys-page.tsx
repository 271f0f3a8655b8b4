import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { count } from '../../format/number.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import styles from './keys.module.css';
import { type KeyRow, useKeyColumns } from './keys-table.tsx';
import { LeakedDialog } from './leaked-dialog.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

/** Keys of the account with what they have spent. */
export function KeysPage() {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [sort, setSort] = useSort();
  const columns = useKeyColumns();
  const status = params['status'] === 'all' ? 'all' : 'active';
  const list = useList(
    'GET /accounts/{account_id}/keys',
    { path: { account_id: account.accountId }, query: { status, limit: 200 } },
    { keepPrevious: true },
  );
  const all = rowsOf<'GET /accounts/{account_id}/keys'>(list.data);
  const text = params['q'] ?? '';
  const rows = all?.filter((key) => matches(key, text));
  // The API has keys in the order of creation. Finding and sorting need all of them.
  const needsAll = text !== '' || sort !== null;
  const isIncomplete = useWholeList(list, needsAll);
  const mayCreate = account.may('operator', 'owner', 'admin', 'developer');
  const create = mayCreate && (
    <Button look="primary" onPress={() => setParams({ new: '1' })}>
      Create key
    </Button>
  );
  return (
    <Page
      title="Keys"
      actions={
        <>
          <Button onPress={() => setParams({ leaked: '1' })}>Leaked a key?</Button>
          {all?.length !== 0 && create}
        </>
      }
    >
      <div className={styles['find']}>
        <TextField
          label="Find a key"
          hideLabel
          placeholder="Find by name or last four"
          type="search"
          value={text}
          onChange={(q) => setParams({ q })}
        />
        <FilterChips
          filters={[{ name: 'status', label: 'Status', options: [{ value: 'all', label: 'All, also deleted' }] }]}
        />
        <span className="muted" role="status">
          {isIncomplete && `Loading all keys: ${count(all?.length ?? 0)} so far`}
        </span>
      </div>
      {list.isError && all === undefined ? (
        <ErrorNote title="The keys could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Keys"
          columns={columns}
          // Not empty before all are searched.
          rows={isIncomplete && rows?.length === 0 ? undefined : rows}
          rowId={({ key_id }) => key_id}
          href={({ key_id }) => account.href(`/keys/${key_id}`)}
          isFaded={(key) => key.status !== 'active'}
          sort={sort}
          onSort={setSort}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            text === '' ? (
              <Empty title="No keys yet" action={create}>
                <p>A key lets a program call every model of this account. Its value is shown once.</p>
              </Empty>
            ) : (
              <Empty title="No key found">
                <p>No name or last four characters match “{text}”.</p>
              </Empty>
            )
          }
        />
      )}
      <MoreFailed what="More keys" list={list} />
      {mayCreate && params['new'] === '1' && <NewKeyDialog onClose={() => setParams({ new: undefined })} />}
      {params['leaked'] === '1' && <LeakedDialog onClose={() => setParams({ leaked: undefined })} />}
    </Page>
  );
}

function matches({ name, last_four }: KeyRow, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || last_four.toLowerCase().includes(wanted);
}
