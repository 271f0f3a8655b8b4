import { Button } from '../../components/button.tsx';
import { DialogActions } from '../../components/dialog.tsx';
import { Secret } from '../../components/secret.tsx';

interface InvitationLinkProps {
  email: string;
  link: string;
  onClose: () => void;
}

/** Where no e-mail is sent, the person who invites passes the link on. */
export function InvitationLink({ email, link, onClose }: InvitationLinkProps) {
  return (
    <>
      <p>
        This console sends no e-mail. Send this link to <strong>{email}</strong> yourself. It is shown only now, and
        anyone who has it can accept the invitation.
      </p>
      <Secret label="Invitation link" text={link} />
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
      </DialogActions>
    </>
  );
}
