import { Note } from '../../components/note.tsx';

/** Why a sign-in with OpenID Connect failed: the `error` that the server adds to the address of the sign-in page. */
export function OidcError({ code }: { code: string }) {
  return (
    <Note tone="bad" title="You are not signed in.">
      {sentence(code)}
    </Note>
  );
}

function sentence(code: string): string {
  switch (code) {
    case 'not_allowed':
      return 'No account has invited this person. Ask an owner or admin for an invitation.';
    case 'unavailable':
      return 'The sign-in provider does not respond. Try again in a moment, or use your password.';
    case 'expired':
      return 'The sign-in took too long, or it was begun in another browser. Try again.';
    case 'too_many_requests':
      return 'Too many sign-ins from your network. Wait a few minutes, then try again.';
    default:
      return 'The sign-in provider did not confirm who you are. Try again, or use your password.';
  }
}
