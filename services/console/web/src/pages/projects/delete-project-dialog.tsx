import { useLocation } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useChange } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { toast } from '../../components/toast.tsx';
import { KEY_READS, type Project } from './nodes.ts';

/** Says what dies, deletes, and leads back to the list. */
export function DeleteProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const { account_id, project_id, name } = project;
  const { href } = useAccount();
  const [, navigate] = useLocation();
  const remove = useChange('DELETE /accounts/{account_id}/projects/{project_id}', {
    failed: null,
    what: () => `The deletion of ${name}`,
    // What is below it is gone.
    invalidates: ['GET /accounts/{account_id}/projects', ...KEY_READS],
  });
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete project"
      danger
      pending={remove.isPending && 'Deleting'}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { path: { account_id, project_id } },
          {
            onSuccess: () => {
              toast({ kind: 'done', message: `${name} is deleted. No ingress accepts a key of it.` });
              navigate(href('/projects'));
            },
          },
        )
      }
    >
      {remove.isError && <ErrorNote title="The deletion is not confirmed." error={remove.error} />}
      <p>
        All keys of this project die at once, also those of its service accounts and members: their requests are refused
        on all ingresses from then on. Past requests stay. This cannot be undone.
      </p>
    </Confirm>
  );
}
