import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.ts';
import { type Session, useConfig } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import styles from './sign-in.module.css';
import { useSubmit } from './submit.ts';

interface SignInFormProps {
  /** Known when a session has ended. */
  email?: string;
  /** Over a page that keeps its input: no link leads away from it if a password is enough. */
  staysOnPage?: boolean;
  /** Where OpenID Connect leads back to. */
  next?: string;
  onSignedIn: (session: Session) => void;
}

/** E-mail address and password, or OpenID Connect where it is configured. */
export function SignInForm({ email: known = '', staysOnPage = false, next, onSignedIn }: SignInFormProps) {
  const config = useConfig();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const attempt = useSubmit(async () => {
    onSignedIn(await call('POST /session', { body: { email, password } }, { signInAgain: false }));
  });

  return (
    <div className="stack">
      <CallForm
        failed="You are not signed in."
        error={attempt.error}
        fields={['email', 'password']}
        onSubmit={attempt.start}
      >
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus={known === ''}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
          autoFocus={known !== ''}
        />
        <Button look="primary" type="submit" pending={attempt.isPending && 'Signing in'}>
          Sign in
        </Button>
      </CallForm>
      {config?.oidc != null && !staysOnPage && (
        <a className={styles['oidc']} href={oidcAddress(next)}>
          Sign in with {config.oidc.name}
        </a>
      )}
      {!staysOnPage && (
        <p>
          <Link href="/reset">Forgot your password?</Link>
        </p>
      )}
    </div>
  );
}

function oidcAddress(next: string | undefined): string {
  return next === undefined ? '/api/oidc/start' : `/api/oidc/start?${new URLSearchParams({ next })}`;
}
