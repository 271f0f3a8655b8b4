import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { useChangeServiceAccount } from './change-service-account.ts';
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
    <Dialog title={serviceAccount.name} isOpen onClose={onClose} size="wide">
      <NodeForm
        node={serviceAccount}
        hasName
        raise={raise}
        failed="The service account was not changed."
        error={change.error}
        onSubmit={({ changes }) =>
          change.save(serviceAccount, changes, () => {
            toast({ kind: 'done', message: 'The service account is changed at every ingress.' });
            onClose();
          })
        }
        actions={({ isChanged }) => (
          <DialogActions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={!isChanged} pending={change.isPending && 'Saving'}>
              Save changes
            </Button>
          </DialogActions>
        )}
      />
    </Dialog>
  );
}
