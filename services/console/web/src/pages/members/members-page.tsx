import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { InvitationsTable } from './invitations-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type Member, MembersTable } from './members-table.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { useWithdrawInvitation } from './withdraw.ts';

/** Members of the account and open invitations. */
export function MembersPage() {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [removing, setRemoving] = useState<Member | null>(null);
  const members = useRead('GET /accounts/{account_id}/members', { path: { account_id: account.accountId } });
  const withdraw = useWithdrawInvitation(account.accountId);
  const mayInvite = account.may('operator', 'owner', 'admin');
  const invitations = members.data?.invitations ?? [];
  return (
    <Page
      title="Members"
      about="Who may see and change what in this account."
      actions={
        mayInvite && (
          <Button look="primary" onPress={() => setParams({ invite: '1' })}>
            Invite member
          </Button>
        )
      }
    >
      {members.isError && members.data === undefined ? (
        <ErrorNote title="The members could not be loaded." error={members.error} onRetry={members.refetch} />
      ) : (
        <MembersTable members={members.data?.data} found={params['member']} onRemove={setRemoving} />
      )}
      {invitations.length > 0 && (
        <Section title="Invitations" about="Not accepted yet.">
          <InvitationsTable invitations={invitations} onWithdraw={mayInvite ? withdraw : null} />
        </Section>
      )}
      <InviteDialog isOpen={mayInvite && params['invite'] === '1'} onClose={() => setParams({ invite: undefined })} />
      {removing !== null && <RemoveDialog member={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}
