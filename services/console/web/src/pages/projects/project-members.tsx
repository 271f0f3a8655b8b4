import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useChangeMember } from './change-member.ts';
import { AddMemberDialog, EditMemberDialog } from './member-dialogs.tsx';
import type { Project } from './nodes.ts';
import { OwnersTable } from './owners-table.tsx';

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
  const add = mayChange && <Button onPress={() => setAdding(true)}>Limit a member</Button>;
  return (
    <Section
      title="Members"
      about="The caps and limits of a member are for all keys together that they own in this project."
      actions={rows?.length !== 0 && add}
    >
      <OwnersTable
        label="Members of the project"
        what="members"
        list={list}
        rows={rows}
        idOf={({ person_id }) => person_id}
        nameTitle="E-mail address"
        nameOf={({ email }) => email}
        mayChange={mayChange}
        onEdit={({ node_id }) => setParams({ node: node_id })}
        onSwitch={change.switchTo}
        empty={
          <Empty title="No members with keys" action={add}>
            <p>Members appear with their first key in this project, or when they are limited before.</p>
          </Empty>
        }
      />
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
