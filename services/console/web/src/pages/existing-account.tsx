import type { ReactNode } from 'react';
import { useAccount } from '../account/account-context.tsx';
import { ApiError } from '../api/error.ts';
import { useRead } from '../api/queries.ts';
import { ButtonLink } from '../components/button.tsx';
import { Empty } from '../components/note.tsx';
import { Page } from '../components/page.tsx';

/** Pages of an account, unless it does not exist. Only operators get here with such an address. */
export function ExistingAccount({ children }: { children: ReactNode }) {
  const { accountId, is } = useAccount();
  const account = useRead(
    'GET /accounts/{account_id}',
    { path: { account_id: accountId } },
    { enabled: is('operator') },
  );
  if (!isUnknown(account.error)) return children;
  return (
    <Page title="Account">
      <Empty title="No such account" action={<ButtonLink href="/operator/accounts">Open all accounts</ButtonLink>}>
        <p>No account has the id {accountId}. Check the address, or find the account by its name.</p>
      </Empty>
    </Page>
  );
}

/** An id that is no UUID is refused as invalid. */
function isUnknown(error: Error | null): boolean {
  return error instanceof ApiError && (error.code === 'not_found' || error.code === 'invalid_request');
}
