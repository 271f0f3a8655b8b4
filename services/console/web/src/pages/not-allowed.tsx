import type { ReactNode } from 'react';
import { useAccountIfAny } from '../account/account-context.tsx';
import { roleLabel } from '../account/roles.ts';
import { ButtonLink } from '../components/button.tsx';
import { Empty } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { inWords } from '../format/sentence.ts';
import { accountPageOf } from '../layout/navigation.ts';

interface AllowedProps {
  /** Of the page's route, such as `/keys/:key_id`. */
  path: string;
  children: ReactNode;
}

/** A page, if the role of the person includes it. The services enforce roles; this says so before any call fails. */
export function Allowed({ path, children }: AllowedProps) {
  const account = useAccountIfAny();
  const entry = accountPageOf(path);
  if (account === null || entry?.roles === undefined || account.is(...entry.roles)) return children;
  const roles = entry.roles.filter((role) => role !== 'operator').map((role) => roleLabel(role).toLowerCase());
  return (
    <Page title={entry.title}>
      <Empty
        title="Your role does not include this page"
        action={<ButtonLink href={account.href('/overview')}>Open the overview</ButtonLink>}
      >
        <p>
          Your role in this account is {roleLabel(account.role).toLowerCase()}.{' '}
          {`The page is for ${roles.length === 1 ? 'the role' : 'the roles'} ${inWords(roles)}.`} An owner can change
          your role.
        </p>
      </Empty>
    </Page>
  );
}

/** For an account that the person may not open, or that does not exist. */
export function NotAMember() {
  return (
    <Page title="Account">
      <Empty
        title="You are not a member of this account"
        action={<ButtonLink href="/">Open your own account</ButtonLink>}
      >
        <p>Ask one of its owners or admins for an invitation, or check the address.</p>
      </Empty>
    </Page>
  );
}
