import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import type { Account } from './settings-page.tsx';
import { useUpdateAccount } from './update.ts';

export function NameForm({ account }: { account: Account }) {
  const [name, setName] = useState(account.name);
  const update = useUpdateAccount(account, 'The name is changed.');
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="The name was not changed."
        error={update.error}
        fields={['name']}
        onSubmit={() => update.save({ name })}
      >
        <TextField label="Name of the account" hideLabel name="name" value={name} onChange={setName} isRequired />
        <div className={forms['submit']}>
          <Button type="submit" isDisabled={name.trim() === account.name} pending={update.isPending && 'Saving'}>
            Save name
          </Button>
        </div>
      </CallForm>
    </div>
  );
}
