import { type ReactNode, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { InvitationLink } from './invitation-link.tsx';

type Created = Output<'POST /operator/invitations'>;

interface InviteFormProps {
  /** `Invite member` */
  action: string;
  /** What has become of the call. */
  invite: { data: Created | undefined; error: Error | null; isPending: boolean };
  onInvite: (email: string, options: { onSuccess: (created: Created) => void }) => void;
  onClose: () => void;
  /** What else is chosen: the role. */
  children?: ReactNode;
}

/** Invites a person by e-mail address. Where no e-mail is sent, the link is shown. */
export function InviteForm({ action, invite, onInvite, onClose, children }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const link = invite.data?.link ?? null;
  if (link !== null) return <InvitationLink email={email} link={link} onClose={onClose} />;
  const onSuccess = (created: Created) => {
    if (created.link !== null) return;
    toast({ kind: 'done', message: `An invitation is on its way to ${created.invitation.email}.` });
    onClose();
  };
  return (
    <CallForm
      failed="The invitation was not created."
      error={invite.error}
      fields={['email', 'role']}
      onSubmit={() => onInvite(email, { onSuccess })}
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
      {children}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={invite.isPending && 'Inviting'}>
          {action}
        </Button>
      </DialogActions>
    </CallForm>
  );
}
