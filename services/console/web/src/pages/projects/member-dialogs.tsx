import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNote, Nothing } from '../../components/note.tsx';
import { Select } from '../../components/select.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { nameOf } from '../../format/person.ts';
import { type MemberValues, useChangeMember } from './change-member.ts';
import { EditOwnerDialog } from './edit-owner-dialog.tsx';
import { NodeForm, type Raise } from './node-form.tsx';
import type { NodeValues, OwnerChanges, Project, ProjectMember } from './nodes.ts';

interface AddMemberDialogProps {
  project: Project;
  /** Those who are in the project. */
  known: readonly ProjectMember[];
  onClose: () => void;
}

/** Limits a member of the account who has no key in the project yet. */
export function AddMemberDialog({ project, known, onClose }: AddMemberDialogProps) {
  const { account_id, project_id } = project;
  const [chosen, setChosen] = useState<string | null>(null);
  const change = useChangeMember(null);
  const members = useRead('GET /accounts/{account_id}/members', { path: { account_id } });
  const options = (members.data?.data ?? [])
    .filter(({ person_id, role }) => role !== 'billing' && !known.some((each) => each.person_id === person_id))
    .map((member) => ({ value: member.person_id, label: nameOf(member), detail: member.email }));
  const personId = chosen ?? options[0]?.value;
  return (
    <Dialog title="Limit a member" isOpen onClose={onClose} size="wide">
      {members.isError && members.data === undefined ? (
        <ErrorNote title="The members could not be loaded." error={members.error} onRetry={members.refetch} />
      ) : members.data === undefined ? (
        <SkeletonBlock height={240} />
      ) : personId === undefined ? (
        <Nothing>Every member of the account who can have keys is in this project already.</Nothing>
      ) : (
        <NodeForm
          node={null}
          hasName={false}
          isOwner
          failed="The member was not limited."
          error={change.error}
          onSubmit={({ values }) =>
            change.save({ account_id, project_id, person_id: personId }, limitsOf(values), onClose)
          }
          actions={() => (
            <DialogActions>
              <Button onPress={onClose}>Cancel</Button>
              <Button look="primary" type="submit" pending={change.isPending && 'Saving'}>
                Limit member
              </Button>
            </DialogActions>
          )}
        >
          <Select label="Member" options={options} value={personId} onChange={setChosen} />
        </NodeForm>
      )}
    </Dialog>
  );
}

interface EditMemberDialogProps {
  member: ProjectMember;
  raise: Raise;
  onClose: () => void;
}

export function EditMemberDialog({ member, raise, onClose }: EditMemberDialogProps) {
  const change = useChangeMember(null);
  return (
    <EditOwnerDialog
      node={{ ...member, name: member.email }}
      what="member"
      hasName={false}
      raise={raise}
      change={change}
      onSave={(changes, onSuccess) => change.save(member, limitsOf(changes), onSuccess)}
      onClose={onClose}
    />
  );
}

/** People are not renamed here. */
function limitsOf({ name: _, ...values }: Partial<NodeValues> & OwnerChanges): MemberValues {
  return values;
}
