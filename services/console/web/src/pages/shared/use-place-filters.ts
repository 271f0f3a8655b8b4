import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList } from '../../api/queries.ts';
import type { Filter } from '../../components/filter-chips.tsx';
import { useProjects } from '../projects/use-projects.ts';
import type { Place } from './place.ts';

/**
 * The filters by project and, once one is chosen, by owner in it. None while no project was seen but the default one.
 *
 * @param seen projects of what is shown; null: not known
 */
export function usePlaceFilters({ projectId, ownerId }: Place, seen: readonly (string | null)[]): Filter[] {
  const { accountId } = useAccount();
  const [isOpened, setOpened] = useState(false);
  const [hasSeveral, setSeveral] = useState(false);
  // It stays while the filters leave only the default project.
  if (!hasSeveral && seen.some((id) => id !== null && id !== accountId)) setSeveral(true);
  const { list, projects = [], isIncomplete } = useProjects(isOpened || projectId !== null);
  const owner = useOwnerFilter({ projectId, ownerId });
  const project: Filter = {
    name: 'project',
    label: 'Project',
    options: projects.map(({ project_id, name }) => ({ value: project_id, label: name })),
    onOpen: () => setOpened(true),
    isLoading: list.isLoading || isIncomplete,
  };
  return [
    ...(hasSeveral || projectId !== null ? [project] : []),
    ...(projectId !== null || ownerId !== null ? [owner] : []),
  ];
}

/** The filter by service account or member; members only for roles that see them. */
function useOwnerFilter({ projectId, ownerId }: Place): Filter {
  const { accountId, is } = useAccount();
  const [isOpened, setOpened] = useState(false);
  const isNeeded = projectId !== null && (isOpened || ownerId !== null);
  const input = { path: { account_id: accountId, project_id: projectId ?? '' }, query: { limit: 200 } };
  const programs = useList('GET /accounts/{account_id}/projects/{project_id}/service-accounts', input, {
    enabled: isNeeded && is('operator', 'owner', 'admin', 'developer'),
  });
  const people = useList('GET /accounts/{account_id}/projects/{project_id}/members', input, {
    enabled: isNeeded && is('operator', 'owner', 'admin'),
  });
  const ofPrograms = rowsOf<'GET /accounts/{account_id}/projects/{project_id}/service-accounts'>(programs.data) ?? [];
  const ofPeople = rowsOf<'GET /accounts/{account_id}/projects/{project_id}/members'>(people.data) ?? [];
  return {
    name: 'owner',
    label: 'Owner',
    options: [
      ...ofPrograms.map(({ service_account_id, name }) => ({ value: service_account_id, label: name })),
      ...ofPeople.map(({ node_id, email }) => ({ value: node_id, label: email })),
    ],
    onOpen: () => setOpened(true),
    isLoading: programs.isLoading || people.isLoading,
  };
}
