import { useAccount } from '../../account/account-context.tsx';
import { useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Empty } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { useDelayed } from '../../components/use-delayed.ts';
import { count } from '../../format/number.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import styles from './keys.module.css';
import { KeysTable, useKeys } from './keys-table.tsx';
import { LeakedDialog } from './leaked-dialog.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { useProjectFilter } from './use-project-filter.ts';

/** Keys of the account with what they have spent. */
export function KeysPage() {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [sort, setSort] = useSort();
  const status = params['status'] === 'all' ? 'all' : 'active';
  const text = params['q'] ?? '';
  const wanted = useDelayed(text.trim(), 150);
  const { list, rows } = useKeys({ status, q: wanted === '' ? undefined : wanted, project_id: params['project'] });
  const project = useProjectFilter(params['project'], rows ?? []);
  // The API has keys in the order of creation. Sorting needs all of them.
  const isIncomplete = useWholeList(list, sort !== null);
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
          {(rows?.length !== 0 || text !== '') && create}
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
          filters={[
            ...(project === null ? [] : [project]),
            { name: 'status', label: 'Status', options: [{ value: 'all', label: 'All, also deleted' }] },
          ]}
        />
        <span className="muted" role="status">
          {isIncomplete && `Loading all keys: ${count(rows?.length ?? 0)} so far`}
        </span>
      </div>
      <KeysTable
        list={list}
        rows={rows}
        label="Keys"
        showsProject={project !== null && params['project'] === undefined}
        sort={sort}
        onSort={setSort}
        empty={
          wanted === '' && params['project'] !== undefined ? (
            <Empty title="No keys in this project" action={create} />
          ) : wanted === '' ? (
            <Empty title="No keys yet" action={create}>
              <p>A key lets a program call every model of this account. Its value is shown once.</p>
            </Empty>
          ) : (
            <Empty title="No key found">
              <p>No name, last four characters or id match “{wanted}”.</p>
            </Empty>
          )
        }
      />
      {mayCreate && params['new'] === '1' && (
        <NewKeyDialog
          place={{ projectId: params['project'] ?? account.accountId, serviceAccountId: '' }}
          onClose={() => setParams({ new: undefined })}
        />
      )}
      {params['leaked'] === '1' && <LeakedDialog onClose={() => setParams({ leaked: undefined })} />}
    </Page>
  );
}
