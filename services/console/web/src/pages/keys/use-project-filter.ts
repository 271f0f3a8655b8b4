import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Filter } from '../../components/filter-chips.tsx';
import { useProjects } from '../projects/use-projects.ts';
import type { KeyRow } from './keys-table.tsx';

/** The filter by project; null while no key was seen in another project than the default. */
export function useProjectFilter(chosen: string | undefined, rows: readonly KeyRow[]): Filter | null {
  const { accountId } = useAccount();
  const [isOpened, setOpened] = useState(false);
  const [hasSeveral, setSeveral] = useState(false);
  const isNeeded = isOpened || (chosen !== undefined && !rows.some(({ project_id }) => project_id === chosen));
  const { list, projects = [], isIncomplete } = useProjects(isNeeded);
  // It stays while a search leaves only keys of the default project.
  if (!hasSeveral && rows.some(({ project_id }) => project_id !== accountId)) setSeveral(true);
  if (!hasSeveral && chosen === undefined) return null;
  return {
    name: 'project',
    label: 'Project',
    options: projects.map(({ project_id, name }) => ({ value: project_id, label: name })),
    shown:
      rows.find(({ project_id }) => project_id === chosen)?.project_name ??
      projects.find(({ project_id }) => project_id === chosen)?.name,
    onOpen: () => setOpened(true),
    isLoading: list.isLoading || isIncomplete,
  };
}
