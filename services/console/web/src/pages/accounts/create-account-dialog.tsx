import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';

export function CreateAccountDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Create account" isOpen={isOpen} onClose={onClose}>
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  // The same for each try of this form: a repeated call creates no second account.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [, navigate] = useLocation();
  const create = useChange('POST /operator/accounts', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    invalidates: ['GET /operator/accounts'],
  });
  return (
    <CallForm
      failed="The account was not created."
      error={create.error}
      fields={['name']}
      onSubmit={() =>
        create.mutate(
          { body: { name, idempotency_key: idempotencyKey } },
          {
            onSuccess: (account) => {
              toast({ kind: 'done', message: `${account.name} is created. Credit it, then invite its owner.` });
              navigate(`/accounts/${account.account_id}/top-up?credit=1`);
            },
          },
        )
      }
    >
      <TextField label="Name" name="name" value={name} onChange={setName} isRequired autoFocus />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={create.isPending && 'Creating'}>
          Create account
        </Button>
      </DialogActions>
    </CallForm>
  );
}
