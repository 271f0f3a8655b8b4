import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useChangeServiceAccount } from './change-service-account.ts';
import { DeleteServiceAccountDialog } from './delete-service-account-dialog.tsx';
import type { Project, ServiceAccount } from './nodes.ts';
import { OwnersTable } from './owners-table.tsx';
import { EditServiceAccountDialog, NewServiceAccountDialog } from './service-account-dialogs.tsx';

/** The service accounts of a project. `node` in the address opens the one with this id. */
export function ServiceAccounts({ project }: { project: Project }) {
  const { account_id, project_id } = project;
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ServiceAccount | null>(null);
  const change = useChangeServiceAccount('The service account was not changed.');
  const list = useList('GET /accounts/{account_id}/projects/{project_id}/service-accounts', {
    path: { account_id, project_id },
    query: { limit: 200 },
  });
  const rows = rowsOf<'GET /accounts/{account_id}/projects/{project_id}/service-accounts'>(list.data);
  const { node } = params;
  const opened = rows?.find(({ service_account_id }) => service_account_id === node);
  useWholeList(list, node !== undefined && opened === undefined);
  const mayChange = account.may('operator', 'owner', 'admin');
  const create = mayChange && <Button onPress={() => setCreating(true)}>Create service account</Button>;
  return (
    <Section
      title="Service accounts"
      about="Programs with keys that are no person's. The caps and limits of one are for all of its keys together."
      actions={rows?.length !== 0 && create}
    >
      <OwnersTable
        label="Service accounts"
        what="service accounts"
        list={list}
        rows={rows}
        idOf={({ service_account_id }) => service_account_id}
        nameTitle="Name"
        nameOf={({ name }) => name}
        mayChange={mayChange}
        onEdit={({ service_account_id }) => setParams({ node: service_account_id })}
        onSwitch={change.switchTo}
        more={(each) => [
          { label: 'Create key', onAction: () => setParams({ new: '1', owner: each.service_account_id }) },
          'separator',
          { label: 'Delete service account', danger: true, onAction: () => setDeleting(each) },
        ]}
        empty={
          <Empty title="No service accounts" action={create}>
            <p>The keys of a service account stay when the person who made them leaves.</p>
          </Empty>
        }
      />
      {creating && <NewServiceAccountDialog project={project} onClose={() => setCreating(false)} />}
      {mayChange && opened !== undefined && (
        <EditServiceAccountDialog
          key={opened.service_account_id}
          serviceAccount={opened}
          raise={{ period: params['raise'], onRaising: () => setParams({ raise: undefined }) }}
          onClose={() => setParams({ node: undefined, raise: undefined })}
        />
      )}
      {deleting !== null && <DeleteServiceAccountDialog serviceAccount={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}
