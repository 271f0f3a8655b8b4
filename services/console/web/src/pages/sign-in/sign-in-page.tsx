import { Redirect } from 'wouter';
import { useSessionQuery, useSetSession } from '../../api/session.ts';
import { signedInAgain } from '../../api/signed-out.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { Frame } from './frame.tsx';
import { safeNext } from './next.ts';
import { OidcError } from './oidc-error.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const [params] = useSearchParams();
  const setSession = useSetSession();
  const next = safeNext(params['next']);
  const session = useSessionQuery();
  if (session.data) return <Redirect to={next} replace />;
  return (
    <Frame title="Sign in">
      {params['error'] !== undefined && <OidcError code={params['error']} />}
      <SignInForm
        next={next}
        onSignedIn={(session) => {
          setSession(session);
          signedInAgain();
        }}
      />
    </Frame>
  );
}
