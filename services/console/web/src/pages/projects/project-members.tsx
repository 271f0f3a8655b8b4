import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { loadMoreOf, rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useChangeMember } from './change-member.ts';
import { nodeColumns } from './columns.tsx';
import { AddMemberDialog, EditMemberDialog } from './member-dialogs.tsx';
import { NodeMenu } from './node-menu.tsx';
import type { Project, ProjectMember } from './nodes.ts';

/** Who owns keys of a project, and what they may do with them. `node` in the address opens the one with this id. */
export function ProjectMembers({ project }: { project: Project }) {
  const { account_id, project_id } = project;
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [adding, setAdding] = useState(false);
  const change = useChangeMember('The member was not changed.');
  const list = useList('GET /accounts/{account_id}/projects/{project_id}/members', {
    path: { account_id, project_id },
    query: { limit: 200 },
  });
  const rows = rowsOf<'GET /accounts/{account_id}/projects/{project_id}/members'>(list.data);
  const { node } = params;
  const opened = rows?.find(({ node_id }) => node_id === node);
  useWholeList(list, adding || (node !== undefined && opened === undefined));
  const mayChange = account.may('operator', 'owner', 'admin');
  const edit = ({ node_id }: ProjectMember) => setParams({ node: node_id });
  const add = mayChange && <Button onPress={() => setAdding(true)}>Limit a member</Button>;
  const columns: Column<ProjectMember>[] = [
    {
      id: 'email',
      title: 'E-mail address',
      width: 160,
      grow: 2,
      cell: ({ email }) => <span className="strong">{email}</span>,
    },
    ...nodeColumns<ProjectMember>(),
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 48,
      align: 'end',
      phone: 'end',
      cell: (each) =>
        mayChange && (
          <NodeMenu
            name={each.email}
            enabled={each.enabled}
            onEdit={() => edit(each)}
            onSwitch={(enabled) => change.switchTo(each, enabled)}
          />
        ),
    },
  ];
  return (
    <Section
      title="Members"
      about="The caps and limits of a member are for all keys together that they own in this project."
      actions={rows?.length !== 0 && add}
    >
      {list.isError && rows === undefined ? (
        <ErrorNote title="The members could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Members of the project"
          columns={columns}
          rows={rows}
          rowId={({ person_id }) => person_id}
          {...(mayChange ? { onOpen: edit } : {})}
          isFaded={({ status }) => status !== 'active'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty title="No members with keys" action={add}>
              <p>Members appear with their first key in this project, or when they are limited before.</p>
            </Empty>
          }
        />
      )}
      <MoreFailed what="More members" list={list} />
      {adding && rows !== undefined && (
        <AddMemberDialog project={project} known={rows} onClose={() => setAdding(false)} />
      )}
      {mayChange && opened !== undefined && (
        <EditMemberDialog
          key={opened.node_id}
          member={opened}
          raise={{ period: params['raise'], onRaising: () => setParams({ raise: undefined }) }}
          onClose={() => setParams({ node: undefined, raise: undefined })}
        />
      )}
    </Section>
  );
}
