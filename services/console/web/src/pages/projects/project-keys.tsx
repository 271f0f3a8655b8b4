import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useKeyColumns } from '../keys/keys-table.tsx';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import type { Project } from './nodes.ts';

/** Spending and reached caps move while somebody watches. */
const REFRESH_MS = 10_000;

/** The keys of a project with what they have spent. */
export function ProjectKeys({ project }: { project: Project }) {
  const { account_id, project_id } = project;
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const columns = useKeyColumns({ showsProject: false });
  const list = useList(
    'GET /accounts/{account_id}/keys',
    { path: { account_id }, query: { status: 'active', limit: 200, project_id } },
    { refetchInterval: REFRESH_MS },
  );
  const rows = rowsOf<'GET /accounts/{account_id}/keys'>(list.data);
  const mayCreate = account.may('operator', 'owner', 'admin', 'developer');
  const create = mayCreate && <Button onPress={() => setParams({ new: '1' })}>Create key</Button>;
  return (
    <Section
      title="Keys"
      actions={
        rows?.length !== 0 && (
          <>
            <ButtonLink href={account.href(`/keys?project=${project_id}`)}>Find a key</ButtonLink>
            {create}
          </>
        )
      }
    >
      {list.isError && rows === undefined ? (
        <ErrorNote title="The keys could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Keys"
          columns={columns}
          rows={rows}
          rowId={({ key_id }) => key_id}
          href={({ key_id }) => account.href(`/keys/${key_id}`)}
          isFaded={(key) => key.status !== 'active'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={<Empty title="No keys in this project yet" action={create} />}
        />
      )}
      <MoreFailed what="More keys" list={list} />
      {mayCreate && params['new'] === '1' && (
        <NewKeyDialog
          place={{ projectId: project_id, serviceAccountId: params['owner'] ?? '' }}
          onClose={() => setParams({ new: undefined, owner: undefined })}
        />
      )}
    </Section>
  );
}
