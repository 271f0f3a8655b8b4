import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type MemberRole, rolesToGive } from '../../account/roles.ts';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/select.tsx';
import { InviteForm } from '../shared/invite-form.tsx';

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite member" isOpen={isOpen} onClose={onClose}>
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [role, setRole] = useState<MemberRole>('developer');
  const invite = useChange('POST /accounts/{account_id}/invitations', {
    failed: null,
    what: ({ body }) => `The invitation of ${body.email}`,
    lost: 'Its link was shown to nobody: unless it was mailed, withdraw it and invite again.',
    invalidates: ['GET /accounts/{account_id}/members'],
  });
  return (
    <InviteForm
      action="Invite member"
      invite={invite}
      onInvite={(email, options) =>
        invite.mutate({ path: { account_id: account.accountId }, body: { email, role } }, options)
      }
      onClose={onClose}
    >
      <Select label="Role" name="role" options={rolesToGive(account.role)} value={role} onChange={setRole} />
    </InviteForm>
  );
}
