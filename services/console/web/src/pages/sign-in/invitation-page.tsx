import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { roleLabel } from '../../account/roles.ts';
import { call, type Output } from '../../api/client.ts';
import { type Session, useSessionQuery, useSetSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { Frame } from './frame.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { useFragmentSecret } from './secret.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSubmit } from './submit.ts';

type Invitation = Output<'POST /invitations/find'>;

/** `/invitation#<secret>`: joins an account, or becomes an operator. */
export function InvitationPage() {
  const { secret } = useFragmentSecret();
  const session = useSessionQuery();
  const invitation = useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => call('POST /invitations/find', { body: { secret } }, { signInAgain: false }),
    retry: false,
  });
  return (
    <Frame title="Invitation">
      {invitation.isError && <ErrorNote title="This invitation cannot be used." error={invitation.error} />}
      {invitation.isPending && <SkeletonBlock height={120} />}
      {invitation.data !== undefined && session.data !== undefined && (
        <>
          <About invitation={invitation.data} />
          <Accept secret={secret} invitation={invitation.data} session={session.data} />
        </>
      )}
    </Frame>
  );
}

function About({ invitation: { account_name, invited_by, role, email, expires_at } }: { invitation: Invitation }) {
  return (
    <div>
      <p>
        {invited_by} invites <strong>{email}</strong>{' '}
        {account_name === null ? (
          'to be an operator.'
        ) : (
          <>
            to join <strong>{account_name}</strong> as {roleLabel(role).toLowerCase()}.
          </>
        )}
      </p>
      <p className="muted">
        The link expires <Time value={expires_at} />.
      </p>
    </div>
  );
}

interface AcceptProps {
  secret: string;
  invitation: Invitation;
  session: Session | null;
}

function Accept({ secret, invitation, session }: AcceptProps) {
  const setSession = useSetSession();
  const [signsIn, setSignsIn] = useState(invitation.person_exists);
  if (session === null && !signsIn) {
    return (
      <>
        <Join secret={secret} email={invitation.email} />
        <Button onPress={() => setSignsIn(true)}>I have signed in here before</Button>
      </>
    );
  }
  if (session === null) {
    return (
      <>
        <p>Sign in to accept it.</p>
        <SignInForm email={invitation.email} onSignedIn={setSession} />
      </>
    );
  }
  if (session.person.email.toLowerCase() !== invitation.email.toLowerCase()) {
    return <OtherPerson signedIn={session.person.email} />;
  }
  return <AcceptAsMe secret={secret} email={session.person.email} />;
}

function OtherPerson({ signedIn }: { signedIn: string }) {
  const setSession = useSetSession();
  const leave = useSubmit(async () => {
    await call('DELETE /session', {}, { signInAgain: false });
    setSession(null);
  });
  return (
    <form className="stack" onSubmit={leave.submit}>
      {leave.error !== null && <ErrorNote title="You are still signed in." error={leave.error} />}
      <Note tone="warn" title="This invitation is for another address">
        You are signed in as {signedIn}. Sign out to accept it.
      </Note>
      <Button type="submit" look="primary" pending={leave.isPending && 'Signing out'}>
        Sign out
      </Button>
    </form>
  );
}

/** Calls that a page without a session makes. */
const here = { signInAgain: false };

function useAccept(accept: () => Promise<Session | null>) {
  const setSession = useSetSession();
  const [, navigate] = useLocation();
  return useSubmit(async () => {
    setSession(await accept());
    navigate('/', { replace: true });
  });
}

const acceptAsMe = (secret: string) => call('POST /invitations/accept', { body: { secret } }, here);

/** By a link that was not mailed, a new person accepts it once they have signed in. */
async function join(
  secret: string,
  person: { email: string; name: string; password: string },
): Promise<Session | null> {
  const { email, name, password } = person;
  const joined = await call('POST /invitations/accept', { body: { secret, name, password } }, here);
  if (joined !== null) return joined;
  await call('POST /session', { body: { email, password } }, here);
  return acceptAsMe(secret);
}

function AcceptAsMe({ secret, email }: { secret: string; email: string }) {
  const accept = useAccept(() => acceptAsMe(secret));
  return (
    <form className="stack" onSubmit={accept.submit}>
      {accept.error !== null && <ErrorNote title="The invitation was not accepted." error={accept.error} />}
      <Button type="submit" look="primary" pending={accept.isPending && 'Accepting'}>
        Accept as {email}
      </Button>
    </form>
  );
}

function Join({ secret, email }: { secret: string; email: string }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useAccept(() => join(secret, { email, name, password }));
  return (
    <CallForm
      failed="The invitation was not accepted."
      error={accept.error}
      fields={['name', 'password']}
      onSubmit={accept.start}
    >
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
      />
      <NewPasswordField name="password" label="Password" value={password} onChange={setPassword} />
      <Button type="submit" look="primary" pending={accept.isPending && 'Joining'}>
        Join
      </Button>
    </CallForm>
  );
}
