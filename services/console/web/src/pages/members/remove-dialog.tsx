import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { patch, useChange } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { toast } from '../../components/toast.tsx';
import { plural } from '../../format/number.ts';
import { useDeleteKeys } from './delete-keys.ts';
import styles from './members.module.css';
import type { Member } from './members-table.tsx';

type Key = Output<'DELETE /accounts/{account_id}/members/{person_id}'>['keys'][number];

/** Removes a member, then offers to delete the keys they made, which stay valid. */
export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { accountId } = useAccount();
  const { person } = useSession();
  const isSelf = member.person_id === person.person_id;
  const remove = useChange('DELETE /accounts/{account_id}/members/{person_id}', {
    failed: null,
    optimistic: ({ path }) => [
      patch('GET /accounts/{account_id}/members', (list) => ({
        ...list,
        data: list.data.filter((each) => each.person_id !== path.person_id),
      })),
    ],
    invalidates: ['GET /accounts/{account_id}/members'],
  });
  const keys = remove.data?.keys ?? [];
  if (keys.length > 0 && !isSelf) return <KeysOf member={member} keys={keys} onClose={onClose} />;
  return (
    <Confirm
      title={isSelf ? 'Leave this account' : `Remove ${member.name}`}
      action={isSelf ? 'Leave account' : 'Remove member'}
      danger
      pending={remove.isPending && (isSelf ? 'Leaving' : 'Removing')}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { path: { account_id: accountId, person_id: member.person_id } },
          {
            onSuccess: (removed) => {
              if (isSelf) {
                // A new document: nothing of the account stays in memory.
                window.location.assign('/');
                return;
              }
              if (removed.keys.length > 0) return;
              toast({ kind: 'done', message: `${member.name} is no longer a member. They made no active keys.` });
              onClose();
            },
          },
        )
      }
    >
      {remove.isError && (
        <ErrorNote
          title={isSelf ? 'You are still a member.' : `${member.name} is still a member.`}
          error={remove.error}
        />
      )}
      <p>
        {isSelf
          ? 'You lose access to this account within a minute. The keys you made stay valid: delete those that nobody else uses first.'
          : `${member.email} loses access to this account within a minute. The keys they made stay valid: the next step lists them.`}
      </p>
    </Confirm>
  );
}

function KeysOf({ member, keys, onClose }: { member: Member; keys: readonly Key[]; onClose: () => void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(keys.map((key) => key.key_id)));
  const deletion = useDeleteKeys();
  const toggle = (keyId: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, keyId] : [...chosen].filter((each) => each !== keyId)));
  return (
    <Dialog title={`${member.name} is removed`} isOpen onClose={onClose}>
      <p>
        {plural(keys.length, 'key')} that {member.name} made {keys.length === 1 ? 'is' : 'are'} still valid. Delete
        those that nobody else uses.
      </p>
      <ul className={styles['keys']}>
        {keys.map((key) => (
          <li key={key.key_id}>
            <Checkbox
              isSelected={chosen.has(key.key_id)}
              isDisabled={deletion.isRunning || deletion.outcomes.has(key.key_id)}
              onChange={(isChosen) => toggle(key.key_id, isChosen)}
            >
              <span className="strong">{key.name}</span>
              <code className="muted">…{key.last_four}</code>
            </Checkbox>
            <span className="muted small">{deletion.outcomes.get(key.key_id)}</span>
          </li>
        ))}
      </ul>
      <DialogActions>
        {deletion.outcomes.size > 0 ? (
          <Button look="primary" isDisabled={deletion.isRunning} onPress={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>Keep all keys</Button>
            <Button
              look="danger"
              isDisabled={chosen.size === 0}
              pending={deletion.isRunning && 'Deleting'}
              onPress={() => void deletion.run([...chosen])}
            >
              Delete {plural(chosen.size, 'key')}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
