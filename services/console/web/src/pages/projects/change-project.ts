import { type Patch, patch, useChange } from '../../api/queries.ts';
import type { DefaultsChanges } from '../shared/limits/defaults-draft.ts';
import { changedNode, type NodeValues, PROJECT_READS, type Project } from './nodes.ts';

/** Changes of a project. @param failed as in useChange */
export function useChangeProject(failed: string | null) {
  const update = useChange('PATCH /accounts/{account_id}/projects/{project_id}', {
    failed,
    what: ({ body }) => `The change of ${body.name ?? 'the project'}`,
    optimistic: ({ path, body }) => patches(path.project_id, (project) => changedNode(project, body)),
    applied: (changed) => patches(changed.project_id, () => changed),
    invalidates: PROJECT_READS,
  });
  const pathOf = ({ account_id, project_id }: Project) => ({ account_id, project_id });
  return {
    error: update.error,
    isPending: update.isPending,
    save: (project: Project, body: Partial<NodeValues> & DefaultsChanges, onSuccess: (changed: Project) => void) =>
      update.mutate({ path: pathOf(project), body }, { onSuccess }),
    switchTo: (project: Project, enabled: boolean) => update.mutate({ path: pathOf(project), body: { enabled } }),
  };
}

function patches(projectId: string, change: (project: Project) => Project): Patch[] {
  return [
    patch('GET /accounts/{account_id}/projects', (list) => ({
      ...list,
      data: list.data.map((each) => (each.project_id === projectId ? change(each) : each)),
    })),
  ];
}
