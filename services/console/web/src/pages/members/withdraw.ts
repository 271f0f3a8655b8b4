import { patch, useChange } from '../../api/queries.ts';

/** Withdraws an invitation at once. */
export function useWithdrawInvitation(accountId: string): (invitationId: string) => void {
  const withdraw = useChange('DELETE /accounts/{account_id}/invitations/{invitation_id}', {
    failed: 'The invitation was not withdrawn.',
    optimistic: ({ path }) => [
      patch('GET /accounts/{account_id}/members', (list) => ({
        ...list,
        invitations: list.invitations.filter((each) => each.invitation_id !== path.invitation_id),
      })),
    ],
    invalidates: ['GET /accounts/{account_id}/members'],
  });
  return (invitationId) => withdraw.mutate({ path: { account_id: accountId, invitation_id: invitationId } });
}
