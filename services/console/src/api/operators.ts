import { z } from 'zod';
import { account } from './accounts.ts';
import { cursor, email, id, idempotencyKey, limit, money, name, nextCursor, searchText, time } from './fields.ts';
import { newInvitation } from './members.ts';
import { operation } from './operation.ts';

const OPERATOR = ['operator'] as const;

/** Everything for the people who run the gateway. */
export const operatorOperations = {
  'GET /operator/accounts': operation({
    id: 'listAccounts',
    summary: 'Accounts with balance and spend, in order of creation',
    access: OPERATOR,
    programs: true,
    query: z.strictObject({
      limit: limit.default(100),
      cursor: cursor.optional(),
      q: searchText.optional().describe('Only accounts with this text in their name, in any case, or with this id.'),
    }),
    response: z.object({
      data: z.array(
        account.extend({
          available: money,
          held: money,
          owed: money,
          spent_this_month: money,
          runs_out_at: time
            .nullable()
            .describe('By the spending of the last 7 days; null: nothing was spent, or it lasts more than five years.'),
          loss: money.describe('The part of its charges that the operator bears.'),
        }),
      ),
      next_cursor: nextCursor,
    }),
  }),
  'POST /operator/accounts': operation({
    id: 'createAccount',
    summary: 'Create an account',
    access: OPERATOR,
    programs: true,
    body: z.strictObject({ name, idempotency_key: idempotencyKey }),
    response: account,
  }),
  'POST /operator/invitations': operation({
    id: 'inviteOperator',
    summary: 'Invite an operator; returns the link where e-mail is not configured',
    access: OPERATOR,
    body: z.strictObject({ email }),
    response: newInvitation,
  }),
  'DELETE /operator/invitations/{invitation_id}': operation({
    id: 'deleteOperatorInvitation',
    summary: 'Withdraw an invitation of an operator',
    access: OPERATOR,
    path: z.strictObject({ invitation_id: id }),
    response: null,
  }),
};
