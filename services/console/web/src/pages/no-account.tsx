import { useSession } from '../api/session.ts';
import { Empty } from '../components/note.tsx';
import { Page } from '../components/page.tsx';

/** For people who are signed in, but in no account. */
export function NoAccount() {
  const { person } = useSession();
  return (
    <Page title="No account">
      <Empty title="You are not a member of an account">
        <p>
          You are signed in as {person.email}. Ask an owner or admin of your account to invite this address, then open
          the link in the invitation.
        </p>
      </Empty>
    </Page>
  );
}
