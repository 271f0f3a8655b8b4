import type { RoleName } from '@tollgate/common/actors/roles';
import { writerOf } from '@tollgate/common/descriptors/json';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { RequestRow as RequestRowJson } from '@tollgate/proto/api-types';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { RequestRow } from '@tollgate/proto/console/requests';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { RouterServiceClient } from '@tollgate/proto/router';
import { memberOperations } from '../../api/members.ts';
import type { Handler } from '../../http/handler.ts';
import { findRequest, idsIn } from '../../lookups/find-request.ts';
import { renderKey } from '../../render/key.ts';
import { renderMember } from '../../render/member.ts';
import { rowOf } from '../../render/request.ts';
import { seesKeys } from '../../usage/account-keys.ts';

const toJson = writerOf<RequestRow, RequestRowJson>('tollgate.console.v1.RequestRow');
/** Matches of each kind. */
const MAX_MATCHES = 10;
/** Keys that match, of which those in use are shown first. */
const MAX_KEYS = 100;
const MEMBER_READERS: readonly RoleName[] = memberOperations['GET /accounts/{account_id}/members'].access;

interface SearchDependencies {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  router: RouterServiceClient;
}

interface Match {
  kind: 'key' | 'request' | 'model' | 'member';
  id: string;
  title: string;
  subtitle: string;
}

interface Search {
  accountId: string;
  /** Lower case. */
  text: string;
  options: UnaryCallOptions;
}

/** Keys, requests, models and members that match a text: those of each kind that the caller may see. */
export function createSearchHandler(deps: SearchDependencies): Handler<'GET /accounts/{account_id}/search'> {
  return async ({ path, query, role, rpc }) => {
    const search = { accountId: path.account_id, text: query.q.toLowerCase(), options: await rpc() };
    const matches = await Promise.all([
      searchRequests(deps, search),
      seesKeys(role) ? searchKeys(deps, search) : [],
      searchModels(deps, search),
      MEMBER_READERS.includes(role) ? searchMembers(deps, search) : [],
    ]);
    return { data: matches.flatMap((each) => each.slice(0, MAX_MATCHES)) };
  };
}

/** By request id or trace id. */
async function searchRequests({ ledger }: SearchDependencies, { accountId, text, options }: Search): Promise<Match[]> {
  if (idsIn(text).length === 0) return [];
  const request = await findRequest(text, { ledger, accountId, waitMs: 0, rpc: options });
  if (request === undefined) return [];
  const { request_id: requestId, model, status, started_at: startedAt } = toJson(rowOf(request));
  // A request that is refused by its key alone has no model.
  return [
    {
      kind: 'request',
      id: requestId,
      title: model === '' ? requestId : model,
      subtitle: `${status} ${toMinutes(startedAt)}`,
    },
  ];
}

/** `2026-01-31T12:30:05.123Z` as `2026-01-31 12:30 UTC`. */
function toMinutes(time: string): string {
  return `${time.slice(0, 'yyyy-mm-dd'.length)} ${time.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length)} UTC`;
}

/** By name, last four characters or id; those in use first. */
async function searchKeys({ auth }: SearchDependencies, { accountId, text, options }: Search): Promise<Match[]> {
  const request = { accountId, pageSize: MAX_KEYS, pageToken: '', text };
  const { keys } = await unaryCall(auth.listKeys.bind(auth), request, options);
  return keys
    .map(renderKey)
    .sort((a, b) => Number(a.status === 'deleted') - Number(b.status === 'deleted'))
    .map((key) => ({ kind: 'key', id: key.key_id, title: key.name, subtitle: `…${key.last_four} ${key.status}` }));
}

/** By id, alias or display name. */
async function searchModels({ router }: SearchDependencies, { text, options }: Search): Promise<Match[]> {
  const { models } = await unaryCall(router.getRoutes.bind(router), {}, options);
  return models
    .filter(({ modelId, displayName, aliases }) =>
      [modelId, displayName, ...aliases].some((name) => name.toLowerCase().includes(text)),
    )
    .map(({ modelId, displayName }) => ({ kind: 'model', id: modelId, title: modelId, subtitle: displayName }));
}

/** By name or e-mail address. */
async function searchMembers({ auth }: SearchDependencies, { accountId, text, options }: Search): Promise<Match[]> {
  const { members } = await unaryCall(auth.listMembers.bind(auth), { accountId }, options);
  return members
    .map(renderMember)
    .filter(({ name, email }) => name.toLowerCase().includes(text) || email.includes(text))
    .map(({ person_id, name, email, role }) => ({
      kind: 'member',
      id: person_id,
      title: name === '' ? email : name,
      subtitle: `${email} ${role}`,
    }));
}
