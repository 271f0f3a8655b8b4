import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { Secret } from '../../components/secret.tsx';
import { Select } from '../../components/select.tsx';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import { KEY_READS } from './edit-key-form.tsx';

const OVERLAPS = [
  { value: '0', label: 'Ends at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
] as const;

interface RotateDialogProps {
  keyId: string;
  name: string;
  onClose: () => void;
}

/** Gives a key a new value, shown once. The previous one stays valid for a while. */
export function RotateDialog({ keyId, name, onClose }: RotateDialogProps) {
  const { accountId } = useAccount();
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]['value']>('86400');
  const [withDerived, setWithDerived] = useState(false);
  // A repeated call must not rotate again.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const rotate = useChange('POST /accounts/{account_id}/keys/{key_id}/rotate', {
    failed: null,
    what: () => `The rotation of ${name}`,
    lost: 'Nobody has seen the new value: rotate it again.',
    invalidates: KEY_READS,
  });
  if (rotate.data !== undefined) {
    return (
      <Dialog title={`${name} has a new value`} isOpen onClose={onClose} size="wide" staysOpen>
        <p>Copy the key now. It is not stored, and cannot be shown again.</p>
        <Secret label="Key" text={rotate.data.secret} />
        <DialogActions>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  const submit = () =>
    rotate.mutate({
      path: { account_id: accountId, key_id: keyId },
      body: { overlap_seconds: Number(overlap), idempotency_key: idempotencyKey, with_derived: withDerived },
    });
  return (
    <Dialog title={`Rotate ${name}`} isOpen onClose={onClose}>
      <CallForm failed="The key was not rotated." error={rotate.error} onSubmit={submit}>
        <p>The key gets a new value. Its name, caps and history stay.</p>
        <Checkbox isSelected={withDerived} onChange={setWithDerived}>
          Delete all keys that were made with it
        </Checkbox>
        <Select label="The previous value stays valid for" options={OVERLAPS} value={overlap} onChange={setOverlap} />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={rotate.isPending && 'Rotating'}>
            Rotate key
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}
