import { roleName } from '@tollgate/common/actors/roles';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { MatchKind, type SearchMatch } from '@tollgate/proto/console/accounts';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { findRequest, idsIn } from '../lookups/find-request.ts';
import { matchingKeys } from '../lookups/matching-keys.ts';
import { REQUEST_STATUSES, rowOf } from '../requests/bills.ts';
import { seesKeys } from '../usage/account-keys.ts';
import { showMember } from './members.ts';

/** Matches of each kind. */
const MAX_MATCHES = 10;
/** Keys that match. Keys in use are shown first. */
const MAX_KEYS = 100;
/** Who does not see members. */
const WITHOUT_MEMBERS = ['developer', 'billing'];

type Services = Pick<Dependencies, 'auth' | 'ledger' | 'router'>;

interface Search {
  accountId: string;
  /** Lower case. */
  text: string;
  options: UnaryCallOptions;
}

/** The handler of searches in an account: of each kind it finds what the caller may see. */
export function searchHandlers(deps: Dependencies) {
  return {
    search: async ({ accountId, q }, { role, rpc }) => {
      const search = { accountId, text: q.toLowerCase(), options: await rpc() };
      const matches = await Promise.all([
        searchRequests(deps, search),
        seesKeys(role) ? searchKeys(deps, search) : [],
        searchModels(deps, search),
        WITHOUT_MEMBERS.includes(role) ? [] : searchMembers(deps, search),
      ]);
      return { data: matches.flatMap((each) => each.slice(0, MAX_MATCHES)) };
    },
  } satisfies Partial<Handlers>;
}

/** By request id or trace id. */
async function searchRequests({ ledger }: Services, { accountId, text, options }: Search): Promise<SearchMatch[]> {
  if (idsIn(text).length === 0) return [];
  const request = await findRequest(text, { ledger, accountId, waitMs: 0, rpc: options });
  if (request === undefined) return [];
  const { requestId, model, status, startedAtMs } = rowOf(request);
  // A request that is refused by its key alone has no model.
  const title = model === '' ? requestId : model;
  const subtitle = `${REQUEST_STATUSES[status]} ${toMinutes(startedAtMs)}`;
  return [{ kind: MatchKind.REQUEST, id: requestId, title, subtitle }];
}

/** `2026-01-31 12:30 UTC` */
function toMinutes(ms: bigint): string {
  return `${new Date(Number(ms)).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
}

/** By name, last four characters or id; those in use first. */
async function searchKeys({ auth }: Services, { accountId, text, options }: Search): Promise<SearchMatch[]> {
  const request = { accountId, pageSize: MAX_KEYS, pageToken: '', text };
  const { keys } = await unaryCall(auth.listKeys.bind(auth), request, options);
  return matchingKeys(keys).map(({ id, title, subtitle }) => ({ kind: MatchKind.KEY, id, title, subtitle }));
}

/** By id, alias or display name. */
async function searchModels({ router }: Services, { text, options }: Search): Promise<SearchMatch[]> {
  const { models } = await unaryCall(router.getRoutes.bind(router), {}, options);
  return models
    .filter(({ modelId, displayName, aliases }) =>
      [modelId, displayName, ...aliases].some((name) => name.toLowerCase().includes(text)),
    )
    .map(({ modelId, displayName }) => ({ kind: MatchKind.MODEL, id: modelId, title: modelId, subtitle: displayName }));
}

/** By name or e-mail address. */
async function searchMembers({ auth }: Services, { accountId, text, options }: Search): Promise<SearchMatch[]> {
  const { members } = await unaryCall(auth.listMembers.bind(auth), { accountId }, options);
  return members
    .map(showMember)
    .filter(({ name, email }) => name.toLowerCase().includes(text) || email.includes(text))
    .map(({ personId, name, email, role }) => ({
      kind: MatchKind.MEMBER,
      id: personId,
      title: name === '' ? email : name,
      subtitle: `${email} ${roleName(role)}`,
    }));
}
