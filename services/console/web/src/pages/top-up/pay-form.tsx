import { useId, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { ApiError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Choices } from '../../components/choices.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { paidMoney } from '../../format/money.ts';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import { typedAs } from './cents.ts';
import { boundsText, offeredNow, type PaymentOptions, readPayment } from './pay-draft.ts';
import styles from './top-up.module.css';
import { useLeave } from './use-leave.ts';
import { rememberRequest } from './way-back.ts';

interface PayFormProps {
  options: PaymentOptions;
  /** Of a payment that failed or was given up. */
  initialAmount: string | null;
  /** The refused request that led here. */
  requestId: string | undefined;
  /** A payment that needs no checkout: this form has been paid already. */
  onPaid: (paymentId: string) => void;
}

/** Begins a payment, and leads to the checkout of the payment provider. */
export function PayForm({ options, initialAmount, requestId, onPaid }: PayFormProps) {
  const { accountId } = useAccount();
  const consentId = useId();
  const offered = offeredNow(options);
  const [draft, setDraft] = useState(() => ({
    amount: typedAs(initialAmount ?? offered[0] ?? options.min_amount),
    savesCard: false,
    // One key for what is filled in: sending it twice begins one payment.
    idempotencyKey: newIdempotencyKey(),
  }));
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const [isLeaving, leave] = useLeave();
  const create = useChange('POST /accounts/{account_id}/payments', {
    failed: null,
    what: ({ body }) => `The payment of ${paidMoney(body.amount)}`,
    lost: 'Nothing is paid before the checkout.',
    invalidates: ['GET /accounts/{account_id}/payments', 'GET /accounts/{account_id}/payment-options'],
  });
  const change = (changes: { amount?: string; savesCard?: boolean }) =>
    setDraft({ ...draft, ...changes, idempotencyKey: newIdempotencyKey() });
  const { amount } = readPayment(draft.amount, options);
  const submit = () => {
    const read = readPayment(draft.amount, options);
    if (read.amount === null) {
      setWrong(new ApiError('invalid_request', 400, read.error, 'amount'));
      return;
    }
    setWrong(null);
    create.mutate(
      {
        path: { account_id: accountId },
        body: { amount: read.amount, save_method: draft.savesCard, idempotency_key: draft.idempotencyKey },
      },
      {
        onSuccess: ({ payment_id, checkout_url }) => {
          if (requestId !== undefined) rememberRequest(payment_id, requestId);
          if (checkout_url === null) onPaid(payment_id);
          else leave(checkout_url);
        },
      },
    );
  };
  return (
    <CallForm failed="The payment was not begun." error={wrong ?? create.error} fields={['amount']} onSubmit={submit}>
      {offered.length > 0 && (
        <Choices
          label="Amount"
          choices={offered.map((each) => ({ value: each, label: paidMoney(each) }))}
          value={offered.find((each) => typedAs(each) === draft.amount) ?? null}
          onChange={(chosen) => change({ amount: typedAs(chosen) })}
        />
      )}
      <TextField
        label={offered.length > 0 ? 'Or another amount' : 'Amount'}
        name="amount"
        prefix="$"
        inputMode="decimal"
        autoComplete="off"
        isRequired
        value={draft.amount}
        onChange={(typed) => change({ amount: typed })}
        hint={boundsText(options)}
      />
      <div className={styles['consent']}>
        <Checkbox
          isSelected={draft.savesCard}
          onChange={(savesCard) => change({ savesCard })}
          aria-describedby={consentId}
        >
          Save this card for later payments
        </Checkbox>
        <p id={consentId} className="muted small">
          The payment provider keeps it. People who may pay for this account can use it until it is removed here.
        </p>
      </div>
      <div className={forms['submit']}>
        <Button look="primary" type="submit" pending={(create.isPending || isLeaving) && 'Opening the checkout'}>
          {amount === null ? 'Pay' : `Pay ${paidMoney(amount)}`}
        </Button>
      </div>
      <p className="muted small">You pay on the pages of the payment provider. Taxes, if any, are added there.</p>
    </CallForm>
  );
}
