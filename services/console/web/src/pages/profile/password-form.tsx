import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { toast } from '../../components/toast.tsx';
import { NewPasswordField } from '../sign-in/new-password-field.tsx';

export function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useChange('PUT /person/password', {
    failed: null,
    what: () => 'The change of your password',
    invalidates: ['GET /person/sessions'],
  });
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="Your password was not changed."
        error={change.error}
        fields={['current_password', 'new_password']}
        onSubmit={() =>
          change.mutate(
            { body: { current_password: current, new_password: next } },
            {
              onSuccess: () => {
                setCurrent('');
                setNext('');
                toast({ kind: 'done', message: 'Your password is changed, and your other sessions have ended.' });
              },
            },
          )
        }
      >
        <TextField
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          isRequired
        />
        <NewPasswordField name="new_password" label="New password" value={next} onChange={setNext} />
        <div className={forms['submit']}>
          <Button type="submit" isDisabled={current === '' || next === ''} pending={change.isPending && 'Changing'}>
            Change password
          </Button>
        </div>
      </CallForm>
    </div>
  );
}
