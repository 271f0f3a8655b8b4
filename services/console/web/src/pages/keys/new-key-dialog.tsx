import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { CreatedKey } from './created-key.tsx';
import { EMPTY_DRAFT, type KeyDraft, readDraft } from './draft.ts';
import { FIELDS, KEY_READS } from './edit-key-form.tsx';
import { KeyFields } from './key-fields.tsx';
import styles from './keys.module.css';

/** A form with the name first and all else folded, then the key: once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
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
      <NewKeyForm onCreated={setCreated} onClose={onClose} />
    </Dialog>
  );
}

interface NewKeyFormProps {
  onCreated: (created: Output<'POST /accounts/{account_id}/keys'>) => void;
  onClose: () => void;
}

function NewKeyForm({ onCreated, onClose }: NewKeyFormProps) {
  const { accountId } = useAccount();
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
    create.mutate({ path: { account_id: accountId }, body }, { onSuccess: onCreated });
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
      <details className={styles['folded']} open={wrong !== null && wrong.field !== 'name'}>
        <summary>Limits and caps</summary>
        <div className="stack">
          <KeyFields draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} mayLimit />
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
