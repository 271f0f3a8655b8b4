import { useLocation } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { NodeForm } from './node-form.tsx';

/** Creates a project, then opens it. */
export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [, navigate] = useLocation();
  const create = useChange('POST /accounts/{account_id}/projects', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    invalidates: ['GET /accounts/{account_id}/projects'],
  });
  return (
    <Dialog title="Create project" isOpen onClose={onClose} size="wide">
      <NodeForm
        node={null}
        hasName
        nameHint="The team, product or customer whose keys it has."
        failed="The project was not created."
        error={create.error}
        onSubmit={({ values }) =>
          create.mutate(
            { path: { account_id: account.accountId }, body: values },
            // Back leads to the list, not to the dialog.
            { onSuccess: ({ project_id }) => navigate(account.href(`/projects/${project_id}`), { replace: true }) },
          )
        }
        actions={() => (
          <DialogActions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" pending={create.isPending && 'Creating'}>
              Create project
            </Button>
          </DialogActions>
        )}
      />
    </Dialog>
  );
}
