import { failedWith } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { readAccountNames } from '../../lookups/account-names.ts';
import { idsIn } from '../../lookups/find-request.ts';
import { unlessMissing } from '../../lookups/unless-missing.ts';
import { renderKey } from '../../render/key.ts';

/** Matches of each kind. */
const MAX_MATCHES = 10;

interface SearchDependencies {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}

interface Match {
  kind: 'account' | 'key' | 'request';
  id: string;
  account_id: string;
  title: string;
  subtitle: string;
}

/** Accounts, keys and requests of all accounts that match a text. */
export function createSearchAllHandler(deps: SearchDependencies): Handler<'GET /operator/search'> {
  return async ({ query: { q }, rpc }) => {
    const options = await rpc();
    const [accounts, keys, requests] = await Promise.all([
      searchAccounts(deps, q, options),
      searchKeys(deps, q, options),
      searchRequests(deps, q, options),
    ]);
    const matches = [...accounts, ...requests.matches, ...keys];
    const ids = matches.map((match) => match.account_id);
    const names = await readAccountNames(deps.auth, ids, options);
    return {
      data: matches.map((match) => ({ ...match, account_name: names.get(match.account_id) ?? '' })),
      complete: requests.complete,
    };
  };
}

async function searchAccounts({ auth }: SearchDependencies, text: string, options: UnaryCallOptions): Promise<Match[]> {
  const request = { pageSize: MAX_MATCHES, pageToken: '', text, accountIds: [] };
  const { accounts } = await unaryCall(auth.listAccounts.bind(auth), request, options);
  return accounts.map(({ accountId, name }) => ({
    kind: 'account',
    id: accountId,
    account_id: accountId,
    title: name,
    subtitle: accountId,
  }));
}

/** Those in use first. */
async function searchKeys({ auth }: SearchDependencies, text: string, options: UnaryCallOptions): Promise<Match[]> {
  const request = { accountId: '', by: { $case: 'text' as const, value: text } };
  const { keys } = await unaryCall(auth.findKeys.bind(auth), request, options);
  return keys
    .map(renderKey)
    .sort((a, b) => Number(a.status === 'deleted') - Number(b.status === 'deleted'))
    .slice(0, MAX_MATCHES)
    .map((key) => ({
      kind: 'key',
      id: key.key_id,
      account_id: key.account_id,
      title: key.name,
      subtitle: `…${key.last_four} ${key.status}`,
    }));
}

async function searchRequests(
  { ledger }: SearchDependencies,
  text: string,
  options: UnaryCallOptions,
): Promise<{ matches: Match[]; complete: boolean }> {
  for (const by of idsIn(text)) {
    try {
      const found = await unlessMissing(unaryCall(ledger.findRequest.bind(ledger), { by }, options));
      if (found === undefined) continue;
      const { accountId, requestId } = found;
      const title = by.$case === 'traceId' ? `Trace ${by.value}` : requestId;
      return {
        matches: [{ kind: 'request', id: requestId, account_id: accountId, title, subtitle: '' }],
        complete: true,
      };
    } catch (error) {
      if (!failedWith(error, 'deadline_exceeded')) throw error;
      return { matches: [], complete: false };
    }
  }
  return { matches: [], complete: true };
}
