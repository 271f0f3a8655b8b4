import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import styles from '../shared/limits/limits.module.css';
import { CreatedKey } from './created-key.tsx';
import { EMPTY_DRAFT, type KeyDraft, type NewKey, readDraft } from './draft.ts';
import { FIELDS, KEY_READS } from './edit-key-form.tsx';
import { KeyFields } from './key-fields.tsx';
import { type KeyPlace, PlaceFields } from './key-place.tsx';

interface NewKeyDialogProps {
  /** Where the key belongs unless something else is chosen. By default the default project. */
  place?: KeyPlace;
  onClose: () => void;
}

/** A form with the name first and all else folded, then the key: once. */
export function NewKeyDialog({ place, onClose }: NewKeyDialogProps) {
  const { accountId } = useAccount();
  const [created, setCreated] = useState<Output<'POST /accounts/{account_id}/keys'> | null>(null);
  if (created !== null) {
    return (
      <Dialog title={`${created.key.name} is created`} isOpen onClose={onClose} size="wide" staysOpen>
        <CreatedKey created={created} />
        <DialogActions>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create key" isOpen onClose={onClose} size="wide">
      <NewKeyForm
        initialPlace={place ?? { projectId: accountId, serviceAccountId: '' }}
        onCreated={setCreated}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface NewKeyFormProps {
  initialPlace: KeyPlace;
  onCreated: (created: Output<'POST /accounts/{account_id}/keys'>) => void;
  onClose: () => void;
}

function NewKeyForm({ initialPlace, onCreated, onClose }: NewKeyFormProps) {
  const { accountId, is } = useAccount();
  const [place, setPlace] = useState(initialPlace);
  const [draft, setDraft] = useState<KeyDraft>(EMPTY_DRAFT);
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const create = useChange('POST /accounts/{account_id}/keys', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    lost: 'Nobody has seen the key: delete it, or rotate it.',
    invalidates: KEY_READS,
  });
  const submit = () => {
    const { body, errors } = readDraft(draft, Date.now());
    if (body === null) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    create.mutate(
      { path: { account_id: accountId }, body: { ...body, ...placeOf(accountId, place) } },
      { onSuccess: onCreated },
    );
  };
  return (
    <CallForm failed="The key was not created." error={wrong ?? create.error} fields={FIELDS} onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        isRequired
        autoFocus
        hint="The program or person that uses it."
      />
      <PlaceFields place={place} onChange={setPlace} noServiceAccount={is('operator') ? 'Nobody' : 'You'} />
      <details className={styles['folded']} open={wrong !== null && wrong.field !== 'name'}>
        <summary>Limits and caps</summary>
        <div className="stack">
          <KeyFields
            draft={draft}
            onChange={(changes) => setDraft({ ...draft, ...changes })}
            mayLimit
            mayExceed={!is('developer')}
          />
        </div>
      </details>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={create.isPending && 'Creating'}>
          Create key
        </Button>
      </DialogActions>
    </CallForm>
  );
}

/** What is sent of a place: nothing of the default. */
function placeOf(accountId: string, { projectId, serviceAccountId }: KeyPlace): Partial<NewKey> {
  return {
    ...(projectId === accountId ? {} : { project_id: projectId }),
    ...(serviceAccountId === '' ? {} : { service_account_id: serviceAccountId }),
  };
}
