import { type ReactNode, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type ApiError, draftError } from '../../api/error.ts';
import { type ReadRoute, useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { ENTER_CENTS, readCents, typedAs } from '../top-up/cents.ts';
import type { PaymentLimits } from './payment-limits.tsx';

const CHANGED: readonly ReadRoute[] = [
  'GET /accounts/{account_id}/payment-limits',
  'GET /accounts/{account_id}/payment-options',
];

interface DialogProps {
  onClose: () => void;
}

/** Empty: what the account paid so far decides. */
export function DailyLimitDialog({ limits, onClose }: DialogProps & { limits: PaymentLimits }) {
  const { accountId } = useAccount();
  const [limit, setLimit] = useState(limits.own_limit === null ? '' : typedAs(limits.own_limit));
  const [reason, setReason] = useState('');
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const change = useChange('PUT /accounts/{account_id}/payment-limits', {
    failed: null,
    what: () => 'The daily limit of payments',
    invalidates: CHANGED,
  });
  const submit = () => {
    const amount = limit.trim() === '' ? undefined : readCents(limit);
    if (amount === null) {
      setWrong(draftError({ daily_limit: ENTER_CENTS }));
      return;
    }
    setWrong(null);
    change.mutate(
      { path: { account_id: accountId }, body: { ...(amount === undefined ? {} : { daily_limit: amount }), reason } },
      { onSuccess: () => done('The daily limit is changed.', onClose) },
    );
  };
  return (
    <Dialog title="Change daily limit" isOpen onClose={onClose}>
      <CallForm
        failed="The daily limit was not changed."
        error={wrong ?? change.error}
        fields={['daily_limit', 'reason']}
        onSubmit={submit}
      >
        <TextField
          label="May pay in within 24 hours"
          name="daily_limit"
          prefix="$"
          inputMode="decimal"
          autoFocus
          value={limit}
          onChange={setLimit}
          hint="Empty: what the account paid so far decides. 0: nothing."
        />
        <Reason value={reason} onChange={setReason} />
        <Actions onClose={onClose} pending={change.isPending && 'Changing'}>
          Change daily limit
        </Actions>
      </CallForm>
    </Dialog>
  );
}

export function ClearFailedCardsDialog({ onClose }: DialogProps) {
  const { accountId } = useAccount();
  const [reason, setReason] = useState('');
  const change = useChange('POST /accounts/{account_id}/payment-limits/clear-failed-cards', {
    failed: null,
    what: () => 'The failed cards',
    invalidates: CHANGED,
  });
  const submit = () =>
    change.mutate(
      { path: { account_id: accountId }, body: { reason } },
      { onSuccess: () => done('The failed cards count no more.', onClose) },
    );
  return (
    <Dialog title="Clear failed cards" isOpen onClose={onClose}>
      <CallForm failed="The failed cards were not cleared." error={change.error} fields={['reason']} onSubmit={submit}>
        <p>They count no more, neither for this account nor for the people and networks that tried them.</p>
        <Reason value={reason} onChange={setReason} />
        <Actions onClose={onClose} pending={change.isPending && 'Clearing'}>
          Clear failed cards
        </Actions>
      </CallForm>
    </Dialog>
  );
}

function done(message: string, onClose: () => void): void {
  toast({ kind: 'done', message });
  onClose();
}

function Reason({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="Reason"
      name="reason"
      value={value}
      onChange={onChange}
      isRequired
      maxLength={500}
      hint="Kept in the audit log."
    />
  );
}

function Actions({ onClose, pending, children }: DialogProps & { pending: string | false; children: ReactNode }) {
  return (
    <DialogActions>
      <Button onPress={onClose}>Cancel</Button>
      <Button look="primary" type="submit" pending={pending}>
        {children}
      </Button>
    </DialogActions>
  );
}
