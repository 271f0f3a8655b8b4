import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { accountPatches } from './update.ts';

interface Subject {
  account_id: string;
  name: string;
}

export function SuspendDialog({ account, onClose }: { account: Subject; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const suspend = useChange('POST /accounts/{account_id}/suspend', {
    failed: null,
    what: () => `The suspension of ${account.name}`,
    invalidates: ['GET /accounts/{account_id}', 'GET /operator/accounts'],
  });
  return (
    <Dialog title={`Suspend ${account.name}`} isOpen onClose={onClose}>
      <CallForm
        failed="The account was not suspended."
        error={suspend.error}
        fields={['reason']}
        onSubmit={() =>
          suspend.mutate(
            { path: { account_id: account.account_id }, body: { reason } },
            {
              onSuccess: () => {
                toast({ kind: 'done', message: `${account.name} is suspended. No ingress accepts its keys.` });
                onClose();
              },
            },
          )
        }
      >
        <p>
          Every key of this account is refused at every ingress until you resume it. Requests that already run are
          completed.
        </p>
        <TextField
          label="Reason"
          name="reason"
          value={reason}
          onChange={setReason}
          isRequired
          maxLength={200}
          autoFocus
          hint="Members and the audit log see it."
        />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" type="submit" pending={suspend.isPending && 'Suspending'}>
            Suspend account
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}

export function useResume(account: Subject): { run: () => void; isPending: boolean } {
  const resume = useChange('POST /accounts/{account_id}/resume', {
    failed: `${account.name} is still suspended.`,
    optimistic: ({ path }) =>
      accountPatches(path.account_id, (before) => ({ ...before, status: 'active', suspension_reason: null })),
    invalidates: ['GET /accounts/{account_id}', 'GET /operator/accounts'],
  });
  return {
    isPending: resume.isPending,
    run: () =>
      resume.mutate(
        { path: { account_id: account.account_id } },
        {
          onSuccess: () => toast({ kind: 'done', message: `${account.name} is resumed. Its keys are accepted again.` }),
        },
      ),
  };
}
