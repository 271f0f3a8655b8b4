import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { Button } from '../../components/button.tsx';
import { Note } from '../../components/note.tsx';
import type { Account } from './settings-page.tsx';
import { SuspendDialog, useResume } from './suspend-dialog.tsx';

/** Refuses all keys of an account, for operators; others see the reason. */
export function Suspension({ account }: { account: Account }) {
  const { may } = useAccount();
  const [suspending, setSuspending] = useState(false);
  const resume = useResume(account);
  if (account.status === 'suspended') {
    return (
      <Note
        tone="bad"
        title="All keys of this account are refused."
        action={
          may('operator') && (
            <Button pending={resume.isPending && 'Resuming'} onPress={resume.run}>
              Resume account
            </Button>
          )
        }
      >
        Reason: {account.suspension_reason ?? 'none given'}
        {may('operator') ? '' : '. Ask the people who run this Tollgate to resume it.'}
      </Note>
    );
  }
  return (
    <>
      <Note
        action={
          may('operator') && (
            <Button look="danger" onPress={() => setSuspending(true)}>
              Suspend account
            </Button>
          )
        }
      >
        The keys of this account are accepted. Suspending it refuses all of them until it is resumed.
      </Note>
      {suspending && <SuspendDialog account={account} onClose={() => setSuspending(false)} />}
    </>
  );
}
