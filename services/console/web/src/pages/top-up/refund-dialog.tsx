import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useAccountName } from '../../account/account-name.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { paidMoney } from '../../format/money.ts';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import { typedAs } from './cents.ts';
import { CHANGED_BY_PAYMENTS } from './follow-payment.ts';
import type { Payment } from './payment-text.ts';
import { type RefundDraft, readRefund } from './refund-draft.ts';

interface RefundDialogProps {
  payment: Payment;
  /** What can be paid back of it. */
  left: string;
  onClose: () => void;
}

/** Pays a payment back, entirely or in part. */
export function RefundDialog({ payment, left, onClose }: RefundDialogProps) {
  const { accountId } = useAccount();
  const name = useAccountName();
  const [draft, setDraft] = useState<RefundDraft>({ amount: typedAs(left), reason: '' });
  const [wrong, setWrong] = useState<ApiError | null>(null);
  // One key per form: sending it twice pays back once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const create = useChange('POST /accounts/{account_id}/payments/{payment_id}/refunds', {
    failed: null,
    what: ({ body }) => `The refund of ${paidMoney(body.amount)} to ${name}`,
    invalidates: CHANGED_BY_PAYMENTS,
  });
  const submit = () => {
    const { refund, errors } = readRefund(draft, left);
    if (refund === null) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    create.mutate(
      {
        path: { account_id: accountId, payment_id: payment.payment_id },
        body: { ...refund, idempotency_key: idempotencyKey },
      },
      {
        onSuccess: () => {
          toast({ kind: 'done', message: `${paidMoney(refund.amount)} is paid back to ${name}.` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Refund payment" isOpen onClose={onClose}>
      <CallForm
        failed="Nothing was paid back."
        error={wrong ?? create.error}
        fields={['amount', 'reason']}
        onSubmit={submit}
      >
        <TextField
          label="Amount"
          name="amount"
          prefix="$"
          inputMode="decimal"
          isRequired
          autoFocus
          value={draft.amount}
          onChange={(amount) => setDraft({ ...draft, amount })}
          hint={`At most ${paidMoney(left)}, and no more than the account has left: spent credit is not paid back.`}
        />
        <TextField
          label="Reason"
          name="reason"
          isRequired
          value={draft.reason}
          onChange={(reason) => setDraft({ ...draft, reason })}
          hint="Kept in the audit log."
        />
        <Review draft={draft} left={left} name={name} />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={create.isPending && 'Refunding'}>
            Refund payment
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}

/** What will happen, with the name of the account: money that was paid back is hard to get again. */
function Review({ draft, left, name }: { draft: RefundDraft; left: string; name: string }) {
  const { refund } = readRefund({ ...draft, reason: 'review' }, left);
  if (refund === null) return null;
  const amount = <span className="strong">{paidMoney(refund.amount)}</span>;
  return (
    <p role="status">
      Takes {amount} of credit from <span className="strong">{name}</span>, and pays it back to the card.
    </p>
  );
}
