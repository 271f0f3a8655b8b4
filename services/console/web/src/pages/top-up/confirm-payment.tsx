import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { paidMoney } from '../../format/money.ts';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import type { AutomaticTopUp } from './automatic-text.ts';
import { useLeave } from './use-leave.ts';

/** Leads to the checkout, where the cardholder pays what could not be charged without them. */
export function ConfirmPayment({ confirm }: { confirm: NonNullable<AutomaticTopUp['confirm']> }) {
  const { accountId } = useAccount();
  // One key for this button: pressing it twice begins one payment.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [isLeaving, leave] = useLeave();
  const create = useChange('POST /accounts/{account_id}/payments', {
    failed: 'The payment was not begun.',
    what: ({ body }) => `The payment of ${paidMoney(body.amount)}`,
    lost: 'Nothing is paid before the checkout.',
    invalidates: ['GET /accounts/{account_id}/payments', 'GET /accounts/{account_id}/payment-options'],
  });
  const { amount, number } = confirm;
  return (
    <Button
      look="primary"
      pending={(create.isPending || isLeaving) && 'Opening the checkout'}
      onPress={() =>
        create.mutate(
          {
            path: { account_id: accountId },
            body: { amount, save_method: false, confirms: number, idempotency_key: idempotencyKey },
          },
          { onSuccess: ({ checkout_url }) => checkout_url !== null && leave(checkout_url) },
        )
      }
    >
      {`Confirm ${paidMoney(amount)}`}
    </Button>
  );
}
