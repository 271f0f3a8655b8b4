import { useLocation } from 'wouter';
import { useAccountIfAny } from '../account/account-context.tsx';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { ChevronDownIcon } from '../components/icons.tsx';
import { Menu, type MenuEntry } from '../components/menu.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import styles from './shell.module.css';

/** The name of the account, and others that the person may open: the same page of them. */
export function AccountSwitcher({ onFind }: { onFind: () => void }) {
  const session = useSession();
  const account = useAccountIfAny();
  const [path] = useLocation();
  const named = useRead(
    'GET /accounts/{account_id}',
    { path: { account_id: account?.accountId ?? '' } },
    { enabled: account !== null },
  );
  if (account === null) return <span className={styles['account']} />;
  const name = named.data?.name ?? account.name;
  const label = name ?? (named.isError ? 'Account' : <Skeleton width="12ch" />);
  const entries = entriesOf(session, { accountId: account.accountId, path, onFind });
  if (entries.length < 2 || session.view_as !== null) return <span className={styles['account']}>{label}</span>;
  return (
    <Menu entries={entries} side="start">
      <span className="hidden">Account: </span>
      <span className={styles['account']}>{label}</span>
      <ChevronDownIcon />
    </Menu>
  );
}

function entriesOf(
  session: ReturnType<typeof useSession>,
  { accountId, path, onFind }: { accountId: string; path: string; onFind: () => void },
): MenuEntry[] {
  // Of a key or request only the list exists in another account.
  const page = path.startsWith('/accounts/') ? (path.split('/')[3] ?? 'overview') : 'overview';
  const accounts: MenuEntry[] = session.memberships.map((each) => ({
    label: each.account_name,
    detail: each.role,
    href: `/accounts/${each.account_id}/${page}`,
    chosen: each.account_id === accountId,
  }));
  if (!session.person.is_operator) return accounts;
  return [
    ...accounts,
    ...(accounts.length === 0 ? [] : (['separator'] as const)),
    { label: 'Find an account', onAction: onFind },
    { label: 'All accounts', href: '/operator/accounts' },
    ...(accounts.length === 0 ? [{ label: 'Settings of this account', href: `/accounts/${accountId}/settings` }] : []),
  ];
}
