import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.ts';
import { useConfig } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import { Note } from '../../components/note.tsx';
import { Frame } from './frame.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { useFragmentSecret } from './secret.ts';
import { useSubmit } from './submit.ts';

/** `/reset` asks for a link, `/reset#<secret>` is the link. */
export function ResetPage() {
  const { secret, forget } = useFragmentSecret();
  return secret === '' ? <RequestLink /> : <SetPassword key={secret} secret={secret} onForget={forget} />;
}

function RequestLink() {
  const config = useConfig();
  const [email, setEmail] = useState('');
  const request = useSubmit(() => call('POST /password-resets', { body: { email } }, { signInAgain: false }));
  if (request.isDone || config?.mail === false) {
    return (
      <Frame title="Reset your password">
        {request.isDone ? (
          <Note tone="good" title="Check your e-mail">
            If {email} belongs to a person here, a link to set a new password is on its way.
          </Note>
        ) : (
          <Note tone="warn" title="This console sends no e-mail">
            Ask the people who run it for a link to set a new password.
          </Note>
        )}
        <p>
          <Link href="/sign-in">Back to sign-in</Link>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title="Reset your password">
      <CallForm failed="No link was sent." error={request.error} fields={['email']} onSubmit={request.start}>
        <p className="muted">You get a link by e-mail to set a new password.</p>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
        />
        <Button look="primary" type="submit" pending={request.isPending && 'Sending'}>
          Send link
        </Button>
      </CallForm>
      <p>
        <Link href="/sign-in">Back to sign-in</Link>
      </p>
    </Frame>
  );
}

function SetPassword({ secret, onForget }: { secret: string; onForget: () => void }) {
  const [password, setPassword] = useState('');
  const reset = useSubmit(() =>
    call('POST /password-resets/use', { body: { secret, password } }, { signInAgain: false }),
  );
  if (reset.isDone) {
    return (
      <Frame title="Set a new password">
        <Note tone="good" title="Your password is changed">
          All your sessions have ended. Sign in with the new password.
        </Note>
        <ButtonLink href="/sign-in" look="primary">
          Sign in
        </ButtonLink>
      </Frame>
    );
  }
  return (
    <Frame title="Set a new password">
      <CallForm failed="Your password is not changed." error={reset.error} fields={['password']} onSubmit={reset.start}>
        <NewPasswordField name="password" label="New password" value={password} onChange={setPassword} autoFocus />
        <Button look="primary" type="submit" pending={reset.isPending && 'Setting password'}>
          Set password
        </Button>
      </CallForm>
      <p>
        <Link href="/reset" onClick={onForget}>
          Request another link
        </Link>
      </p>
    </Frame>
  );
}
