import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { Section } from '../../components/page.tsx';
import { toast } from '../../components/toast.tsx';
import { shortMoney } from '../../format/money.ts';

/** Credits the account with a code that somebody was given. */
export function RedeemVoucher() {
  const { accountId } = useAccount();
  const [code, setCode] = useState('');
  const redeem = useChange('POST /accounts/{account_id}/vouchers', {
    failed: null,
    invalidates: [
      'GET /accounts/{account_id}/balance',
      'GET /accounts/{account_id}/deposits',
      'GET /accounts/{account_id}/overview',
    ],
  });
  const submit = () =>
    redeem.mutate(
      { path: { account_id: accountId }, body: { code } },
      {
        onSuccess: ({ amount }) => {
          setCode('');
          toast({ kind: 'done', message: `The voucher gave ${shortMoney(amount)}.` });
        },
      },
    );
  return (
    <Section title="Voucher">
      <CallForm failed="The voucher was not redeemed." error={redeem.error} fields={['code']} onSubmit={submit}>
        <TextField label="Code" name="code" mono value={code} onChange={setCode} placeholder="7KQ2M-0V5ZX-…" />
        <div className={forms['submit']}>
          <Button type="submit" isDisabled={code.trim() === ''} pending={redeem.isPending && 'Redeeming'}>
            Redeem
          </Button>
        </div>
      </CallForm>
    </Section>
  );
}
