import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { NodeForm, type Raise } from './node-form.tsx';
import type { NodeValues, OwnerChanges, OwnerSettings } from './nodes.ts';

interface EditOwnerDialogProps {
  node: NodeValues & OwnerSettings;
  /** `service account` */
  what: string;
  hasName: boolean;
  raise: Raise;
  change: { error: unknown; isPending: boolean };
  onSave: (changes: Partial<NodeValues> & OwnerChanges, onSuccess: () => void) => void;
  onClose: () => void;
}

/** Everything of a service account or a member in a project that can be changed. */
export function EditOwnerDialog({ node, what, hasName, raise, change, onSave, onClose }: EditOwnerDialogProps) {
  return (
    <Dialog title={node.name} isOpen onClose={onClose} size="wide">
      <NodeForm
        node={node}
        hasName={hasName}
        isOwner
        raise={raise}
        failed={`The ${what} was not changed.`}
        error={change.error}
        onSubmit={({ changes }) =>
          onSave(changes, () => {
            toast({ kind: 'done', message: `The ${what} is changed at every ingress.` });
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
