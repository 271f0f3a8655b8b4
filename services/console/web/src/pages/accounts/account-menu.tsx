import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { useSetSession } from '../../api/session.ts';
import { MoreIcon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { useResume } from '../settings/suspend-dialog.tsx';
import type { AccountRow } from './accounts-page.tsx';

interface AccountMenuProps {
  account: AccountRow;
  onSuspend: (account: AccountRow) => void;
}

export function AccountMenu({ account, onSuspend }: AccountMenuProps) {
  const viewAs = useViewAs();
  const resume = useResume(account);
  const href = (page: string) => `/accounts/${account.account_id}/${page}`;
  return (
    <Menu
      label={`Actions for ${account.name}`}
      size="small"
      entries={[
        { label: 'Top up', href: href('top-up') },
        { label: 'Members', href: href('members') },
        { label: 'Settings', href: href('settings') },
        'separator',
        { label: 'View as its members', detail: 'Read-only, and recorded', onAction: () => viewAs(account.account_id) },
        'separator',
        account.status === 'suspended'
          ? { label: 'Resume account', onAction: resume.run }
          : { label: 'Suspend account', danger: true, onAction: () => onSuspend(account) },
      ]}
    >
      <MoreIcon />
    </Menu>
  );
}

/** Shows an account as its members see it. What was loaded as an operator is dropped. */
function useViewAs(): (accountId: string) => void {
  const client = useQueryClient();
  const setSession = useSetSession();
  const [, navigate] = useLocation();
  const view = useChange('PUT /session/view-as', { failed: 'The account cannot be viewed.' });
  return (accountId) =>
    view.mutate(
      { body: { account_id: accountId } },
      {
        onSuccess: (session) => {
          client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'GET /session' });
          setSession(session);
          navigate(`/accounts/${accountId}/overview`);
        },
      },
    );
}
