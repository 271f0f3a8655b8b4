import { failedWith } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Found } from '@tollgate/proto/console/operators';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { readAccountNames } from '../lookups/account-names.ts';
import { idsIn } from '../lookups/find-request.ts';
import { matchingKeys } from '../lookups/matching-keys.ts';
import { unlessMissing } from '../lookups/unless-missing.ts';

/** Matches of each kind. */
const MAX_MATCHES = 10;

/** What is found, before its account is named. */
type Match = Omit<Found, 'accountName'>;

/** Handlers for the people who run the gateway. */
export function operatorHandlers({ auth, ledger }: Dependencies) {
  return {
    listOperators: async (_, { rpc }) => {
      const options = await rpc();
      const [{ operators }, { invitations }] = await Promise.all([
        unaryCall(auth.listOperators.bind(auth), {}, options),
        unaryCall(auth.listInvitations.bind(auth), { accountId: '' }, options),
      ]);
      return { data: operators.map(({ personId, email, name }) => ({ personId, email, name })), invitations };
    },

    listQuarantined: async (page, { rpc }) => {
      const options = await rpc();
      const request = { accountId: '', ...page };
      const { charges, nextCursor } = await unaryCall(ledger.listQuarantined.bind(ledger), request, options);
      const ids = charges.map(({ accountId }) => accountId);
      const names = await readAccountNames(auth, ids, options);
      return {
        data: charges.map((charge) => ({ charge, accountName: names.get(charge.accountId) ?? '' })),
        nextCursor,
      };
    },

    searchAll: async ({ q }, { rpc }) => {
      const options = await rpc();
      const [accounts, keys, requests] = await Promise.all([
        searchAccounts(auth, q, options),
        searchKeys(auth, q, options),
        searchRequests(ledger, q, options),
      ]);
      const matches = [...accounts, ...requests.matches, ...keys];
      const ids = matches.map(({ accountId }) => accountId);
      const names = await readAccountNames(auth, ids, options);
      return {
        data: matches.map((match) => ({ ...match, accountName: names.get(match.accountId) ?? '' })),
        complete: requests.complete,
      };
    },
  } satisfies Partial<Handlers>;
}

async function searchAccounts(auth: AuthServiceClient, text: string, options: UnaryCallOptions): Promise<Match[]> {
  const request = { pageSize: MAX_MATCHES, pageToken: '', text, accountIds: [] };
  const { accounts } = await unaryCall(auth.listAccounts.bind(auth), request, options);
  return accounts.map(({ accountId, name }) => ({
    kind: 'account',
    id: accountId,
    accountId,
    title: name,
    subtitle: accountId,
  }));
}

async function searchKeys(auth: AuthServiceClient, text: string, options: UnaryCallOptions): Promise<Match[]> {
  const request = { accountId: '', by: { $case: 'text' as const, value: text } };
  const { keys } = await unaryCall(auth.findKeys.bind(auth), request, options);
  return matchingKeys(keys)
    .slice(0, MAX_MATCHES)
    .map((key) => ({ kind: 'key', ...key }));
}

async function searchRequests(
  ledger: LedgerServiceClient,
  text: string,
  options: UnaryCallOptions,
): Promise<{ matches: Match[]; complete: boolean }> {
  for (const by of idsIn(text)) {
    try {
      const found = await unlessMissing(unaryCall(ledger.findRequest.bind(ledger), { by }, options));
      if (found === undefined) continue;
      const { accountId, requestId } = found;
      const title = by.$case === 'traceId' ? `Trace ${by.value}` : requestId;
      return { matches: [{ kind: 'request', id: requestId, accountId, title, subtitle: '' }], complete: true };
    } catch (error) {
      if (!failedWith(error, 'deadline_exceeded')) throw error;
      return { matches: [], complete: false };
    }
  }
  return { matches: [], complete: true };
}
