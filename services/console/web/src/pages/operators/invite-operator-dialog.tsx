import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { InviteForm } from '../shared/invite-form.tsx';

export function InviteOperatorDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite operator" isOpen={isOpen} onClose={onClose}>
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const invite = useChange('POST /operator/invitations', {
    failed: null,
    what: ({ body }) => `The invitation of ${body.email}`,
    lost: 'Its link was shown to nobody: unless it was mailed, withdraw it and invite again.',
    invalidates: ['GET /operator/operators'],
  });
  return (
    <InviteForm
      action="Invite operator"
      invite={invite}
      onInvite={(email, options) => invite.mutate({ body: { email } }, options)}
      onClose={onClose}
    />
  );
}
