import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type MemberRole, rolesToGive } from '../../account/roles.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { toast } from '../../components/toast.tsx';
import { InvitationLink } from './invitation-link.tsx';

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite member" isOpen={isOpen} onClose={onClose}>
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('developer');
  const invite = useChange('POST /accounts/{account_id}/invitations', {
    failed: null,
    invalidates: ['GET /accounts/{account_id}/members'],
  });
  const link = invite.data?.link ?? null;
  if (link !== null) return <InvitationLink email={email} link={link} onClose={onClose} />;
  return (
    <CallForm
      failed="The invitation was not created."
      error={invite.error}
      fields={['email', 'role']}
      onSubmit={() =>
        invite.mutate(
          { path: { account_id: account.accountId }, body: { email, role } },
          {
            onSuccess: (created) => {
              if (created.link !== null) return;
              toast({ kind: 'done', message: `An invitation is on its way to ${created.invitation.email}.` });
              onClose();
            },
          },
        )
      }
    >
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
      />
      <Select label="Role" name="role" options={rolesToGive(account.role)} value={role} onChange={setRole} />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={invite.isPending && 'Inviting'}>
          Invite member
        </Button>
      </DialogActions>
    </CallForm>
  );
}
