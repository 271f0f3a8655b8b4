import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Nothing } from '../../components/note.tsx';
import { toast } from '../../components/toast.tsx';
import type { Key, KeyChanges } from './draft.ts';
import { KEY_READS } from './edit-key-form.tsx';
import { type KeyPlace, PlaceFields } from './key-place.tsx';

/** Moves a key to another project or owner, whose caps and limits then apply to it. */
export function MoveKeyDialog({ apiKey: key, onClose }: { apiKey: Key; onClose: () => void }) {
  const before = placeOf(key);
  const [place, setPlace] = useState(before);
  const update = useChange('PATCH /accounts/{account_id}/keys/{key_id}', {
    failed: null,
    what: () => `The move of ${key.name}`,
    invalidates: KEY_READS,
  });
  const changes = changesOfPlace(before, place);
  const move = () =>
    update.mutate(
      { path: { account_id: key.account_id, key_id: key.key_id }, body: changes },
      {
        onSuccess: ({ project_name }) => {
          toast({ kind: 'done', message: `${key.name} is in the project ${project_name}.` });
          onClose();
        },
      },
    );
  return (
    <Dialog title={`Move ${key.name}`} isOpen onClose={onClose}>
      <CallForm
        failed="The key was not moved."
        error={update.error}
        fields={['project_id', 'service_account_id']}
        onSubmit={move}
      >
        <p>The caps and limits of its project and its owner apply to it. Its value and its own caps stay.</p>
        <PlaceFields
          place={place}
          onChange={setPlace}
          noServiceAccount={key.created_by?.name ?? 'Nobody'}
          nothing={<Nothing>There is no other project and no service account.</Nothing>}
        />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            isDisabled={Object.keys(changes).length === 0}
            pending={update.isPending && 'Moving'}
          >
            Move key
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}

function placeOf({ project_id, owner }: Key): KeyPlace {
  return { projectId: project_id, serviceAccountId: owner?.kind === 'service_account' ? owner.id : '' };
}

/** A service account belongs to its project, so that a key of one gets another owner where it moves. */
function changesOfPlace(before: KeyPlace, { projectId, serviceAccountId }: KeyPlace): KeyChanges {
  const changes: KeyChanges = {};
  if (projectId !== before.projectId) changes.project_id = projectId;
  if (serviceAccountId !== before.serviceAccountId)
    changes.service_account_id = serviceAccountId === '' ? null : serviceAccountId;
  return changes;
}
