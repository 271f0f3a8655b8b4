import type { ReactNode } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList, useWholeList } from '../../api/queries.ts';
import { ErrorNote } from '../../components/note.tsx';
import { type Option, Select } from '../../components/select.tsx';
import { useProjects } from '../projects/use-projects.ts';

/** The project of a key, and the service account that owns it. */
export interface KeyPlace {
  projectId: string;
  /** Empty: the member who makes the key, or nobody. */
  serviceAccountId: string;
}

interface PlaceFieldsProps {
  place: KeyPlace;
  onChange: (place: KeyPlace) => void;
  /** What a key without a service account belongs to: `You` */
  noServiceAccount: string;
  /** Instead, where there is nothing to choose from. */
  nothing?: ReactNode;
}

/**
 * Chooses the project of a key, and its owner for those who may give keys to service accounts. Without anything to choose
 * from, it shows nothing.
 */
export function PlaceFields({ place, onChange, noServiceAccount, nothing }: PlaceFieldsProps) {
  const { accountId, is } = useAccount();
  const { projectId, serviceAccountId } = place;
  const mayGive = is('operator', 'owner', 'admin');
  const projects = useProjects();
  const owners = useList(
    'GET /accounts/{account_id}/projects/{project_id}/service-accounts',
    { path: { account_id: accountId, project_id: projectId }, query: { limit: 200 } },
    { enabled: mayGive },
  );
  const isIncomplete = useWholeList(owners, mayGive) || owners.isFetching;
  const serviceAccounts =
    rowsOf<'GET /accounts/{account_id}/projects/{project_id}/service-accounts'>(owners.data) ?? [];
  const failed = [projects.list, owners].find((each) => each.isError && each.data === undefined);
  if (failed !== undefined) {
    return <ErrorNote title="The projects could not be loaded." error={failed.error} onRetry={failed.refetch} />;
  }
  const projectOptions = withDeleted(
    (projects.projects ?? []).map(({ project_id, name }) => ({ value: project_id, label: name })),
    projects.isIncomplete ? '' : projectId,
    'Deleted project',
  );
  const ownerOptions = withDeleted(
    serviceAccounts.map(({ service_account_id, name }) => ({
      value: service_account_id,
      label: name,
      detail: 'Service account',
    })),
    isIncomplete ? '' : serviceAccountId,
    'Deleted service account',
  );
  const isEmpty = projectOptions.length < 2 && ownerOptions.length === 0;
  if (isEmpty) return projects.list.isLoading || owners.isLoading ? null : nothing;
  return (
    <>
      {projectOptions.length > 1 && (
        <Select
          label="Project"
          name="project_id"
          options={projectOptions}
          value={projectId}
          onChange={(chosen) => chosen !== projectId && onChange({ projectId: chosen, serviceAccountId: '' })}
        />
      )}
      {ownerOptions.length > 0 && (
        <Select
          label="Owner"
          name="service_account_id"
          options={[{ value: '', label: noServiceAccount }, ...ownerOptions]}
          value={serviceAccountId}
          onChange={(chosen) => onChange({ ...place, serviceAccountId: chosen })}
        />
      )}
    </>
  );
}

/** With the one that a key has although it is not listed any more. */
function withDeleted(options: readonly Option<string>[], has: string, label: string): readonly Option<string>[] {
  return has === '' || options.some(({ value }) => value === has) ? options : [...options, { value: has, label }];
}
