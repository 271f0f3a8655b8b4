import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { useChangeServiceAccount } from './change-service-account.ts';
import { EditOwnerDialog } from './edit-owner-dialog.tsx';
import { NodeForm, type Raise } from './node-form.tsx';
import type { Project, ServiceAccount } from './nodes.ts';

export function NewServiceAccountDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const { account_id, project_id } = project;
  const create = useChange('POST /accounts/{account_id}/projects/{project_id}/service-accounts', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    invalidates: ['GET /accounts/{account_id}/projects/{project_id}/service-accounts'],
  });
  return (
    <Dialog title="Create service account" isOpen onClose={onClose} size="wide">
      <NodeForm
        node={null}
        hasName
        isOwner
        nameHint="The program that uses its keys."
        failed="The service account was not created."
        error={create.error}
        onSubmit={({ values }) =>
          create.mutate({ path: { account_id, project_id }, body: values }, { onSuccess: onClose })
        }
        actions={() => (
          <DialogActions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" pending={create.isPending && 'Creating'}>
              Create service account
            </Button>
          </DialogActions>
        )}
      />
    </Dialog>
  );
}

interface EditServiceAccountDialogProps {
  serviceAccount: ServiceAccount;
  raise: Raise;
  onClose: () => void;
}

export function EditServiceAccountDialog({ serviceAccount, raise, onClose }: EditServiceAccountDialogProps) {
  const change = useChangeServiceAccount(null);
  return (
    <EditOwnerDialog
      node={serviceAccount}
      what="service account"
      hasName
      raise={raise}
      change={change}
      onSave={(changes, onSuccess) => change.save(serviceAccount, changes, onSuccess)}
      onClose={onClose}
    />
  );
}
