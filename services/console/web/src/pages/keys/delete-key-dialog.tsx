import { useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { CheckIcon } from '../../components/icons.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { duration } from '../../format/time.ts';
import { type Confirmation, deletionSummary, waitingSummary } from './confirmations.ts';
import { KEY_READS } from './edit-key-form.tsx';
import styles from './keys.module.css';

const POLL_MS = 250;
/** Before the deletion has committed, an ingress may only have confirmed an earlier change of the key. */
const COMMITTED_MS = 500;

interface DeleteKeyDialogProps {
  accountId: string;
  /** Where it is not the account of the page. */
  accountName?: string | null;
  keyId: string;
  name: string;
  lastFour: string;
  onClose: () => void;
}

type Step = { at: 'asking' } | { at: 'deleting' } | { at: 'deleted'; confirmations: Confirmation[] } | Failed;
interface Failed {
  at: 'failed';
  error: unknown;
}

/** Says what will happen, deletes, and lists each ingress as it confirms. */
export function DeleteKeyDialog({ accountId, accountName, keyId, name, lastFour, onClose }: DeleteKeyDialogProps) {
  const [step, setStep] = useState<Step>({ at: 'asking' });
  const deletion = useChange('DELETE /accounts/{account_id}/keys/{key_id}', {
    failed: null,
    what: () => `The deletion of ${name}`,
    invalidates: KEY_READS,
  });
  const path = { account_id: accountId, key_id: keyId };
  const [isSlow, setSlow] = useState(false);
  const propagation = useRead(
    'GET /accounts/{account_id}/keys/{key_id}/propagation',
    { path },
    { enabled: step.at === 'deleting' && isSlow, refetchInterval: POLL_MS },
  );
  const remove = async () => {
    setStep({ at: 'deleting' });
    const timer = setTimeout(() => setSlow(true), COMMITTED_MS);
    try {
      const { confirmations } = await deletion.mutateAsync({ path });
      setStep({ at: 'deleted', confirmations });
    } catch (error) {
      setStep({ at: 'failed', error });
    } finally {
      clearTimeout(timer);
    }
  };
  const isDeleting = step.at === 'deleting';
  const confirmations = step.at === 'deleted' ? step.confirmations : isDeleting ? propagation.data?.confirmations : [];
  return (
    <Dialog title={`Delete ${name}`} isOpen onClose={onClose} staysOpen={isDeleting}>
      {step.at === 'asking' && (
        <p>
          Every request with the key <code>…{lastFour}</code>
          {typeof accountName === 'string' && (
            <>
              {' '}
              of the account <span className="strong">{accountName}</span>
            </>
          )}{' '}
          or a key made with it is refused on all ingresses from then on. Its past requests stay. This cannot be undone.
        </p>
      )}
      {step.at === 'failed' && <ErrorNote title="The deletion is not confirmed." error={step.error} />}
      {(isDeleting || step.at === 'deleted') && (
        <div className="stack" role="status">
          <p className={step.at === 'deleted' ? 'strong' : 'muted'}>
            {step.at === 'deleted' ? deletionSummary(step.confirmations) : waitingSummary(confirmations)}
          </p>
          <ul className={styles['confirmations']}>
            {(confirmations ?? []).map((each) => (
              <li key={each.ingress}>
                {each.confirmed ? <CheckIcon /> : <span aria-hidden="true">·</span>}
                <span>{each.ingress}</span>
                <span className="muted">
                  {each.confirmed
                    ? `confirmed${each.after_ms === null ? '' : ` after ${duration(each.after_ms)}`}`
                    : 'not confirmed'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <DialogActions>
        {step.at === 'deleted' ? (
          <Button look="primary" onPress={onClose} autoFocus>
            Done
          </Button>
        ) : (
          <>
            <Button onPress={onClose} isDisabled={isDeleting}>
              Cancel
            </Button>
            <Button look="danger" pending={isDeleting && 'Deleting'} onPress={() => void remove()} autoFocus>
              {step.at === 'failed' ? 'Try again' : 'Delete key'}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
