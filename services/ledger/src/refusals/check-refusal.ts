import { MAX_CHARGE_NODES, MAX_CHARGE_TEXT_LENGTH, MAX_CLIENT_ID_LENGTH } from '@tollgate/common/charge-bounds';
import { isUuid } from '@tollgate/common/ids';
import type { Refusal, RefusalCount, RefusingLimit } from '@tollgate/proto/ledger';
import { DAY_MS, MAX_CLOCK_SKEW_MS } from '../store/time.ts';

/** How long refusals are kept. */
export const KEEP_REFUSALS_MS = 7 * DAY_MS;

/** Maximum characters of each text. */
const MAX_LENGTHS = {
  keyName: ['key_name', 1_000],
  model: ['model', 200],
  protocolIn: ['protocol_in', 100],
  errorType: ['error_type', 100],
  message: ['message', 1_000],
  clientSessionId: ['client_session_id', MAX_CLIENT_ID_LENGTH],
} as const satisfies Partial<Record<keyof Refusal, readonly [name: string, maxLength: number]>>;

const TRACE_ID = /^[0-9a-f]{32}$/;
const VERSION_DIGIT = 14;
/** Not only the reasons, scopes and windows known here: an ingress of a later version may have more. */
const REASON = /^[a-z_]{1,50}$/;

/** Why a refusal cannot be recorded, beginning with the field; undefined when it can. */
export function refusalProblem(refusal: Refusal, nowMs: number): string | undefined {
  const { requestId } = refusal;
  if (!isUuid(requestId) || requestId[VERSION_DIGIT] !== '7') return 'request_id: must be a UUIDv7';
  if (!TRACE_ID.test(refusal.traceId)) return 'trace_id: must be 32 lower-case hex digits';
  if (!isUuid(refusal.accountId)) return 'account_id: must be a UUID';
  if (!isUuid(refusal.keyId)) return 'key_id: must be a UUID';
  if (!REASON.test(refusal.reason)) return 'reason: must be 1 to 50 lower-case letters and underscores';
  if (refusal.httpStatus < 400 || refusal.httpStatus > 599) return 'http_status: must be 400 to 599';
  for (const [field, [name, maxLength]] of Object.entries(MAX_LENGTHS)) {
    const text = refusal[field as keyof typeof MAX_LENGTHS];
    if (text.length > maxLength) return `${name}: must have at most ${maxLength} characters`;
    if (text.includes('\0')) return `${name}: must not contain a NUL character`;
  }
  const problem = nodesProblem(refusal) ?? (refusal.limit && limitProblem(refusal.limit));
  if (problem !== undefined) return problem;
  const agoMs = nowMs - Number(refusal.refusedAtMs);
  if (agoMs > KEEP_REFUSALS_MS || agoMs < -MAX_CLOCK_SKEW_MS) {
    return 'refused_at_ms: must be in the last 7 days, and at most 10 minutes in the future';
  }
  return undefined;
}

function nodesProblem({ nodes }: Refusal): string | undefined {
  if (nodes.length > MAX_CHARGE_NODES) return `nodes: must be at most ${MAX_CHARGE_NODES}`;
  for (const [index, { nodeId, scope, name }] of nodes.entries()) {
    if (!isUuid(nodeId)) return `nodes[${index}].node_id: must be a UUID`;
    if (!REASON.test(scope)) return `nodes[${index}].scope: must be 1 to 50 lower-case letters and underscores`;
    if (name.length > MAX_CHARGE_TEXT_LENGTH || name.includes('\0'))
      return `nodes[${index}].name: must have at most ${MAX_CHARGE_TEXT_LENGTH} characters, and no NUL`;
  }
  return undefined;
}

function limitProblem({ scope, id, name, window, projectId }: RefusingLimit): string | undefined {
  if (!REASON.test(scope)) return 'limit.scope: must be 1 to 50 lower-case letters and underscores';
  if (!REASON.test(window)) return 'limit.window: must be 1 to 50 lower-case letters and underscores';
  if (id === '' || id.length > MAX_CLIENT_ID_LENGTH || id.includes('\0'))
    return `limit.id: must have 1 to ${MAX_CLIENT_ID_LENGTH} characters, and no NUL`;
  if (name.length > MAX_CHARGE_TEXT_LENGTH || name.includes('\0'))
    return `limit.name: must have at most ${MAX_CHARGE_TEXT_LENGTH} characters, and no NUL`;
  return projectId === '' || isUuid(projectId) ? undefined : 'limit.project_id: must be a UUID';
}

/** As refusalProblem, for a count of dropped refusals. */
export function countProblem({ accountId, reason, count }: RefusalCount): string | undefined {
  if (!isUuid(accountId)) return 'account_id: must be a UUID';
  if (!REASON.test(reason)) return 'reason: must be 1 to 50 lower-case letters and underscores';
  return count < 1n ? 'count: must be positive' : undefined;
}
