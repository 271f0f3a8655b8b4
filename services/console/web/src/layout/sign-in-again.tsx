import { useSession } from '../api/session.ts';
import { signedInAgain, useSignedOut } from '../api/signed-out.ts';
import { Dialog } from '../components/dialog.tsx';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';

/** Opens over the page when the session has ended, so that forms keep their input. */
export function SignInAgain() {
  const isOpen = useSignedOut();
  const { person } = useSession();
  return (
    <Dialog title="Your session has ended" isOpen={isOpen} onClose={() => undefined} staysOpen>
      <p>Sign in again. This page keeps what you entered.</p>
      <SignInForm
        email={person.email}
        staysOnPage={person.has_password}
        next={window.location.pathname + window.location.search}
        onSignedIn={(session) => {
          // Another person must not go on with what this one entered.
          if (session.person.person_id !== person.person_id) window.location.assign('/');
          else signedInAgain();
        }}
      />
    </Dialog>
  );
}
