import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { useKeyColumns } from './keys-table.tsx';

/** Spending and reached caps move while somebody watches. */
const REFRESH_MS = 10_000;

/** The keys that were made with a key; nothing for a key without any. */
export function DerivedKeys({ parentKeyId }: { parentKeyId: string }) {
  const account = useAccount();
  const columns = useKeyColumns({ showsProject: false });
  const list = useList(
    'GET /accounts/{account_id}/keys',
    { path: { account_id: account.accountId }, query: { status: 'active', limit: 200, parent_key_id: parentKeyId } },
    { refetchInterval: REFRESH_MS },
  );
  const rows = rowsOf<'GET /accounts/{account_id}/keys'>(list.data);
  if (!list.isError && (rows === undefined || rows.length === 0)) return null;
  return (
    <Section title="Derived keys" about="Made with this key. Its limits, caps and end apply to them too.">
      {list.isError && rows === undefined ? (
        <ErrorNote title="The derived keys could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Derived keys"
          columns={columns}
          rows={rows}
          rowId={({ key_id }) => key_id}
          href={({ key_id }) => account.href(`/keys/${key_id}`)}
          isFaded={(key) => key.status !== 'active'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={null}
        />
      )}
      <MoreFailed what="More derived keys" list={list} />
    </Section>
  );
}
