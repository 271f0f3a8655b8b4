import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { InvitationLink } from '../members/invitation-link.tsx';

export function InviteOperatorDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite operator" isOpen={isOpen} onClose={onClose}>
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const invite = useChange('POST /operator/invitations', { failed: null, invalidates: ['GET /operator/operators'] });
  const link = invite.data?.link ?? null;
  if (link !== null) return <InvitationLink email={email} link={link} onClose={onClose} />;
  return (
    <CallForm
      failed="The invitation was not created."
      error={invite.error}
      fields={['email']}
      onSubmit={() =>
        invite.mutate(
          { body: { email } },
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
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={invite.isPending && 'Inviting'}>
          Invite operator
        </Button>
      </DialogActions>
    </CallForm>
  );
}
