import { useChange } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { toast } from '../../components/toast.tsx';
import { SERVICE_ACCOUNT_READS, type ServiceAccount } from './nodes.ts';

interface DeleteServiceAccountDialogProps {
  serviceAccount: ServiceAccount;
  onClose: () => void;
}

export function DeleteServiceAccountDialog({ serviceAccount, onClose }: DeleteServiceAccountDialogProps) {
  const { account_id, project_id, service_account_id, name } = serviceAccount;
  const remove = useChange(
    'DELETE /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}',
    {
      failed: null,
      what: () => `The deletion of ${name}`,
      invalidates: SERVICE_ACCOUNT_READS,
    },
  );
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete service account"
      danger
      pending={remove.isPending && 'Deleting'}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { path: { account_id, project_id, service_account_id } },
          {
            onSuccess: () => {
              toast({ kind: 'done', message: `${name} is deleted. No ingress accepts a key of it.` });
              onClose();
            },
          },
        )
      }
    >
      {remove.isError && <ErrorNote title="The deletion is not confirmed." error={remove.error} />}
      <p>
        All keys of this service account die at once: their requests are refused on all ingresses from then on. Past
        requests stay. This cannot be undone.
      </p>
    </Confirm>
  );
}
