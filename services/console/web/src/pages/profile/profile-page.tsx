import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useSession, useSetSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { Page, Section } from '../../components/page.tsx';
import { toast } from '../../components/toast.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionsTable } from './sessions-table.tsx';

/** The signed-in person: name, password, sessions. */
export function ProfilePage() {
  const { person } = useSession();
  return (
    <Page title="Profile" about={person.email}>
      <Section title="Name">
        <NameForm name={person.name} />
      </Section>
      {person.has_password && (
        <Section title="Password" about="A new password ends your other sessions.">
          <PasswordForm />
        </Section>
      )}
      <Section
        title="Sessions"
        about="Where you are signed in. End those you do not recognise, then change your password."
      >
        <SessionsTable />
      </Section>
    </Page>
  );
}

function NameForm({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const setSession = useSetSession();
  const change = useChange('PATCH /person', {
    failed: null,
    what: () => 'The change of your name',
    invalidates: ['GET /accounts/{account_id}/members', 'GET /operator/operators'],
  });
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="Your name was not changed."
        error={change.error}
        fields={['name']}
        onSubmit={() =>
          change.mutate(
            { body: { name: text } },
            {
              onSuccess: (session) => {
                setSession(session);
                toast({ kind: 'done', message: 'Your name is changed.' });
              },
            },
          )
        }
      >
        <TextField
          label="Name"
          hideLabel
          name="name"
          autoComplete="name"
          value={text}
          onChange={setText}
          isRequired
          hint="Other members and the audit log see it."
        />
        <div className={forms['submit']}>
          <Button type="submit" isDisabled={text.trim() === name} pending={change.isPending && 'Saving'}>
            Save name
          </Button>
        </div>
      </CallForm>
    </div>
  );
}
