import { useAccount } from '../../account/account-context.tsx';
import { patch, useChange } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Confirm } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { toast } from '../../components/toast.tsx';
import { nameOf } from '../../format/person.ts';
import { leftKeys } from './left-keys.ts';
import { LeftKeysDialog } from './left-keys-dialog.tsx';
import type { Member } from './members-table.tsx';

/** Removes a member, then offers to delete the keys they made, which stay valid. */
export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { accountId } = useAccount();
  const { person } = useSession();
  const isSelf = member.person_id === person.person_id;
  const remove = useChange('DELETE /accounts/{account_id}/members/{person_id}', {
    failed: null,
    what: () => (isSelf ? 'Leaving this account' : `The removal of ${nameOf(member)}`),
    lost: 'The keys they made stay valid.',
    optimistic: ({ path }) => [
      patch('GET /accounts/{account_id}/members', (list) => ({
        ...list,
        data: list.data.filter((each) => each.person_id !== path.person_id),
      })),
    ],
    invalidates: ['GET /accounts/{account_id}/members', 'GET /accounts/{account_id}/management-keys'],
  });
  const keys = remove.data === undefined ? [] : leftKeys(remove.data);
  if (keys.length > 0 && !isSelf) return <LeftKeysDialog member={member} keys={keys} onClose={onClose} />;
  return (
    <Confirm
      title={isSelf ? 'Leave this account' : `Remove ${nameOf(member)}`}
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
              if (leftKeys(removed).length > 0) return;
              toast({ kind: 'done', message: `${nameOf(member)} is no longer a member. They made no active keys.` });
              onClose();
            },
          },
        )
      }
    >
      {remove.isError && (
        <ErrorNote
          title={isSelf ? 'You are still a member.' : `${nameOf(member)} is still a member.`}
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
