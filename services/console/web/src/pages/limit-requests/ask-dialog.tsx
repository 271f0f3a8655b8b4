import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { checked, type Errors, readAmount } from '../shared/limits/draft.ts';
import { LIMIT_REQUEST_READS, type LimitRequest, limitName } from './limit-text.ts';

/** The limit that refused a request, and the key of that. */
export type AskedLimit = Pick<LimitRequest, 'key_id' | 'scope' | 'id' | 'name' | 'window'>;

/** Asks whoever may raise a limit for more of it. */
export function AskDialog({ limit, onClose }: { limit: AskedLimit; onClose: () => void }) {
  const { accountId } = useAccount();
  const [reason, setReason] = useState('');
  const [amount, setAmount] = useState('');
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const ask = useChange('POST /accounts/{account_id}/limit-requests', {
    failed: null,
    what: () => 'The limit request',
    invalidates: LIMIT_REQUEST_READS,
  });
  const submit = () => {
    const errors: Errors = {};
    const asked = checked(errors, 'amount', readAmount(amount));
    if (reason.trim() === '') errors['reason'] = 'Enter a reason.';
    const isWrong = Object.keys(errors).length > 0;
    setWrong(isWrong ? draftError(errors) : null);
    if (isWrong) return;
    const { key_id, scope, id, window } = limit;
    ask.mutate(
      {
        path: { account_id: accountId },
        body: { key_id, scope, id, window, reason: reason.trim(), ...(asked === null ? {} : { amount: asked }) },
      },
      {
        onSuccess: () => {
          toast({ kind: 'done', message: 'Asked. The answer will show here.' });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Ask for more" isOpen onClose={onClose}>
      <CallForm
        failed="The limit request was not sent."
        error={wrong ?? ask.error}
        fields={['amount', 'reason']}
        onSubmit={submit}
      >
        <p>A higher {limitName(limit)}. Owners and admins see your request, and grant or decline it.</p>
        <TextField
          label="Reason"
          name="reason"
          rows={3}
          maxLength={500}
          value={reason}
          onChange={setReason}
          isRequired
          autoFocus
        />
        <TextField
          label="Limit that would do"
          name="amount"
          prefix="$"
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          hint="May stay empty: then whoever grants it decides."
        />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={ask.isPending && 'Asking'}>
            Ask
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}
