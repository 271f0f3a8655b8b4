import { type Patch, patch, useChange } from '../../api/queries.ts';
import {
  changedNode,
  type NodeValues,
  type OwnerChanges,
  SERVICE_ACCOUNT_READS,
  type ServiceAccount,
} from './nodes.ts';

/** Changes of a service account. @param failed as in useChange */
export function useChangeServiceAccount(failed: string | null) {
  const update = useChange('PATCH /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}', {
    failed,
    what: ({ body }) => `The change of ${body.name ?? 'the service account'}`,
    optimistic: ({ path, body }) => patches(path.service_account_id, (each) => changedNode(each, body)),
    applied: (changed) => patches(changed.service_account_id, () => changed),
    invalidates: SERVICE_ACCOUNT_READS,
  });
  const pathOf = ({ account_id, project_id, service_account_id }: ServiceAccount) => ({
    account_id,
    project_id,
    service_account_id,
  });
  return {
    error: update.error,
    isPending: update.isPending,
    save: (of: ServiceAccount, body: Partial<NodeValues> & OwnerChanges, onSuccess: () => void) =>
      update.mutate({ path: pathOf(of), body }, { onSuccess }),
    switchTo: (of: ServiceAccount, enabled: boolean) => update.mutate({ path: pathOf(of), body: { enabled } }),
  };
}

function patches(serviceAccountId: string, change: (of: ServiceAccount) => ServiceAccount): Patch[] {
  return [
    patch('GET /accounts/{account_id}/projects/{project_id}/service-accounts', (list) => ({
      ...list,
      data: list.data.map((each) => (each.service_account_id === serviceAccountId ? change(each) : each)),
    })),
  ];
}
