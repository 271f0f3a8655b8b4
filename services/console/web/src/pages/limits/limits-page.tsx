import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead, useReads } from '../../api/queries.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote, Note } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { pathOf, useTreeColumns } from './columns.tsx';
import { type LimitedNode, opensByItself, treeRows } from './tree.ts';

/** Spending moves while somebody watches. */
const REFRESH_MS = 10_000;

/** Projects, their owners and keys as a tree, each with what is spent of its tightest cap. */
export function LimitsPage() {
  const account = useAccount();
  const [{ project }] = useSearchParams();
  const path = { account_id: account.accountId };
  const tree = useRead(
    'GET /accounts/{account_id}/limits',
    { path, query: { project_id: project } },
    { refetchInterval: REFRESH_MS, keepPrevious: true },
  );
  /** What somebody has folded, or unfolded, against what it does by itself. */
  const [turned, setTurned] = useState<ReadonlyMap<string, LimitedNode['scope']>>(new Map());
  const nodes = tree.data?.data ?? [];
  const isOpen = (node: LimitedNode) => opensByItself(node, nodes.length) !== turned.has(node.id);
  const unfoldedKeys = [...turned].flatMap(([id, scope]) => (scope === 'key' ? [id] : []));
  const derived = useReads(
    'GET /accounts/{account_id}/limits',
    unfoldedKeys.map((parent_key_id) => ({ path, query: { parent_key_id } })),
    { refetchInterval: REFRESH_MS },
  );
  const below = derived.flatMap(({ data }) => data?.data ?? []);
  const failed = derived.find(({ isError }) => isError);
  const turn = ({ id, scope }: LimitedNode) => {
    const others = [...turned].filter(([each]) => each !== id);
    setTurned(new Map(turned.has(id) ? others : [...others, [id, scope]]));
  };
  const columns = useTreeColumns(turn);
  return (
    <Page
      title="Limits"
      about="Of each project, owner and key the cap with the least left. Caps of what is below one of them may add up to more than its own: the tightest decides."
      actions={project !== undefined && <ButtonLink href={account.href('/limits')}>All projects</ButtonLink>}
    >
      {tree.data?.is_cut === true && (
        <Note title="Not all are shown">
          These are the first 1,000: projects, then their owners, then the newest keys.
          {project === undefined && ' The page of a project leads to its own limits.'}
        </Note>
      )}
      {failed !== undefined && (
        <ErrorNote title="Derived keys could not be loaded." error={failed.error} onRetry={failed.refetch} />
      )}
      {tree.isError && tree.data === undefined ? (
        <ErrorNote title="The limits could not be loaded." error={tree.error} onRetry={tree.refetch} />
      ) : (
        <Table
          label="Limits"
          columns={columns}
          rows={tree.data === undefined ? undefined : treeRows([...nodes, ...below], isOpen)}
          rowId={({ node }) => node.id}
          href={(row) => account.href(pathOf(row))}
          isFaded={({ node }) => node.status !== 'active'}
          empty={
            <Empty
              title="No such project"
              action={<ButtonLink href={account.href('/limits')}>All projects</ButtonLink>}
            />
          }
        />
      )}
    </Page>
  );
}
