import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { NumberField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import type { Account } from './settings-page.tsx';
import { useUpdateAccount } from './update.ts';

const FIELDS = [
  { name: 'requests_per_minute', label: 'Requests per minute', most: 1_000_000_000 },
  { name: 'tokens_per_minute', label: 'Tokens per minute', most: 1_000_000_000 },
  { name: 'open_requests', label: 'Open requests', most: 1_000_000 },
] as const;

/** Empty: no limit. */
export function LimitsForm({ account }: { account: Account }) {
  const [limits, setLimits] = useState(account.limits);
  const update = useUpdateAccount(account, 'The limits are changed at every ingress.');
  const isChanged = FIELDS.some(({ name }) => limits[name] !== account.limits[name]);
  return (
    <CallForm
      failed="The limits were not changed."
      error={update.error}
      fields={FIELDS.map(({ name }) => `limits.${name}`)}
      onSubmit={() => update.save({ limits })}
    >
      <div className={forms['pair']}>
        {FIELDS.map(({ name, label, most }) => (
          <NumberField
            key={name}
            label={label}
            name={`limits.${name}`}
            placeholder="No limit"
            minValue={1}
            maxValue={most}
            value={limits[name] ?? Number.NaN}
            onChange={(value) => setLimits({ ...limits, [name]: Number.isNaN(value) ? null : value })}
          />
        ))}
      </div>
      <div className={forms['submit']}>
        <Button type="submit" isDisabled={!isChanged} pending={update.isPending && 'Saving'}>
          Save limits
        </Button>
      </div>
    </CallForm>
  );
}
