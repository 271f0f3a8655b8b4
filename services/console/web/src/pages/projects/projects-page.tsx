import { useAccount } from '../../account/account-context.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import { nodeColumns } from './columns.tsx';
import { NewProjectDialog } from './new-project-dialog.tsx';
import type { Project } from './nodes.ts';
import { useProjects } from './use-projects.ts';

/** The projects of the account. */
export function ProjectsPage() {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [sort, setSort] = useSort();
  const { list, projects } = useProjects();
  const mayChange = account.may('operator', 'owner', 'admin');
  const columns: Column<Project>[] = [
    {
      id: 'name',
      title: 'Name',
      width: 200,
      grow: 2,
      cell: ({ project_id, name }) => <RowLink href={account.href(`/projects/${project_id}`)}>{name}</RowLink>,
      compare: (left, right) => left.name.localeCompare(right.name),
    },
    ...nodeColumns<Project>(),
  ];
  return (
    <Page
      title="Projects"
      about="The keys of a project share its caps and limits. Together, projects may have caps above the balance: the tighter limit decides."
      actions={
        mayChange && (
          <Button look="primary" onPress={() => setParams({ new: '1' })}>
            Create project
          </Button>
        )
      }
    >
      {list.isError && projects === undefined ? (
        <ErrorNote title="The projects could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Projects"
          columns={columns}
          rows={projects}
          rowId={({ project_id }) => project_id}
          href={({ project_id }) => account.href(`/projects/${project_id}`)}
          isFaded={({ status }) => status !== 'active'}
          sort={sort}
          onSort={setSort}
          loadingMore={list.isFetchingNextPage}
        />
      )}
      <MoreFailed what="More projects" list={list} />
      {mayChange && params['new'] === '1' && <NewProjectDialog onClose={() => setParams({ new: undefined })} />}
    </Page>
  );
}
