import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import type { Account } from './settings-page.tsx';
import { useUpdateAccount } from './update.ts';

export function DiscountForm({ account }: { account: Account }) {
  const [percent, setPercent] = useState(account.discount_percent);
  const update = useUpdateAccount(account, 'The discount is changed. It applies to requests that start from now on.');
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="The discount was not changed."
        error={update.error}
        fields={['discount_percent']}
        onSubmit={() => update.save({ discount_percent: percent.trim() })}
      >
        <TextField
          label="Discount"
          hideLabel
          name="discount_percent"
          inputMode="decimal"
          suffix="%"
          value={percent}
          onChange={setPercent}
          isRequired
          validate={(text) =>
            /^\d{1,3}(\.\d{1,4})?$/.test(text.trim()) && Number(text) <= 100
              ? null
              : 'Enter a percentage from 0 to 100 with at most 4 decimals, such as 12.5.'
          }
        />
        <div className={forms['submit']}>
          <Button
            type="submit"
            isDisabled={percent.trim() === account.discount_percent}
            pending={update.isPending && 'Saving'}
          >
            Save discount
          </Button>
        </div>
      </CallForm>
    </div>
  );
}
