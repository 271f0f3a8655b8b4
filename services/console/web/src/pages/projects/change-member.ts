import { type Patch, patch, useChange } from '../../api/queries.ts';
import { changedNode, type NodeValues, type OwnerChanges, PROJECT_MEMBER_READS, type ProjectMember } from './nodes.ts';

type MemberPath = Pick<ProjectMember, 'account_id' | 'project_id' | 'person_id'>;
export type MemberValues = Partial<Omit<NodeValues, 'name'>> & OwnerChanges;

/** Changes of what limits a member in a project. @param failed as in useChange */
export function useChangeMember(failed: string | null) {
  const update = useChange('PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}', {
    failed,
    what: () => 'The change of the member',
    optimistic: ({ path, body }) => patches(path, (each) => changedNode(each, { enabled: body.enabled })),
    applied: (changed) => patches(changed, () => changed),
    invalidates: PROJECT_MEMBER_READS,
  });
  const pathOf = ({ account_id, project_id, person_id }: MemberPath) => ({ account_id, project_id, person_id });
  return {
    error: update.error,
    isPending: update.isPending,
    save: (of: MemberPath, body: MemberValues, onSuccess: () => void) =>
      update.mutate({ path: pathOf(of), body }, { onSuccess }),
    switchTo: (of: MemberPath, enabled: boolean) => update.mutate({ path: pathOf(of), body: { enabled } }),
  };
}

/** A person may be a member of several projects. */
function patches(
  { project_id, person_id }: Omit<MemberPath, 'account_id'>,
  change: (of: ProjectMember) => ProjectMember,
): Patch[] {
  return [
    patch('GET /accounts/{account_id}/projects/{project_id}/members', (list) => ({
      ...list,
      data: list.data.map((each) =>
        each.project_id === project_id && each.person_id === person_id ? change(each) : each,
      ),
    })),
  ];
}
