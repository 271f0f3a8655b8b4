import { CONTINUED_TURN, REQUEST_TO_CONTINUE } from '../../canonical/continued-turn.ts';
import type { Dispatch } from '../../interface/protocol.ts';
import { hasField, parseFieldPath, withElement, withoutField } from '../../json/field-path.ts';
import { recordOr } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Adjustment, adjusted, combineEdits, editsOf, warningsOf } from '../../request/adjustment.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { MessagesPolicy } from '../client/policy-result.ts';
import { adjustmentsOf } from '../shared/adjust.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS } from '../shared/schema.ts';
import { isThought } from '../shared/thinking-turns.ts';
import { versionFields } from '../upstream/request-form.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, and what the model would reject adjusted.
 */
export function editRequest({ object, request }: ParsedRequest, policy: MessagesPolicy, dispatch: Dispatch): Buffer {
  const adjustments = editsOf(adjustmentsFor(request, dispatch));
  const body = splice(object, combineEdits(dispatchEdits(request, dispatch), adjustments, policy.edits));
  const kept = leftOutFields(request, dispatch).reduce(
    (bytes, field) => withoutField(bytes, parseFieldPath(field)),
    body,
  );
  return needsRequestToContinue(request, dispatch) ? withElement(kept, 'messages', REQUEST_TURN) : kept;
}

const REQUEST_TURN = JSON.stringify({ role: 'user', content: REQUEST_TO_CONTINUE });

/** Whether the model would refuse a last turn of the assistant, see withRequestToContinue. */
function needsRequestToContinue(request: MessagesRequest, dispatch: Dispatch): boolean {
  const last = request.messages.at(-1);
  if (last?.role !== 'assistant') return false;
  const blocks = typeof last.content === 'string' ? [] : last.content;
  if (blocks.some(({ type }) => type === 'tool_use')) return false;
  if (dispatch.parameters?.prefill === false) return true;
  const mode = recordOr(adjusted(request, adjustmentsFor(request, dispatch))['thinking'])['type'];
  const [first] = blocks;
  return mode === 'adaptive' || (mode === 'enabled' && (first === undefined || !isThought(first)));
}

/** The fields that the request has, and that are left out with their betas. */
function leftOutFields(request: MessagesRequest, { leftOut }: Dispatch): readonly string[] {
  return leftOut?.filter((field) => hasField(request, parseFieldPath(field))) ?? [];
}

/** Warnings for what the model would reject. */
export function adjustmentWarnings(
  { request }: ParsedRequest,
  policy: MessagesPolicy,
  dispatch: Dispatch,
): Diagnostic[] {
  const removed = new Set(policy.edits.map(({ path }) => path[0]));
  const changed = warningsOf(adjustmentsFor(request, dispatch).filter(({ path }) => !removed.has(path[0])));
  const leftOut = leftOutFields(request, dispatch).map((field) =>
    diagnostic(field, 'left out together with the beta that enables it'),
  );
  const continued = needsRequestToContinue(request, dispatch)
    ? [diagnostic(`messages[${request.messages.length - 1}]`, CONTINUED_TURN)]
    : [];
  return [...changed, ...leftOut, ...continued];
}

function adjustmentsFor(request: MessagesRequest, { parameters, outputTokens }: Dispatch): readonly Adjustment[] {
  if (parameters === undefined) return [];
  return adjustmentsOf({ ...request, ...(outputTokens !== undefined && { max_tokens: outputTokens }) }, parameters);
}

/** A thinking budget above the new limit is reduced, since Anthropic requires a budget below the limit. */
function dispatchEdits(request: MessagesRequest, dispatch: Dispatch): Edit[] {
  const edits: Edit[] = [];
  if (dispatch.form === 'raw-predict') {
    edits.push({ op: 'remove', path: ['model'] });
    for (const [name, value] of Object.entries(versionFields(dispatch.form))) {
      edits.push({ op: 'set', path: [name], json: JSON.stringify(value) });
    }
  } else if (dispatch.upstreamModel !== request.model) {
    edits.push({ op: 'set', path: ['model'], json: JSON.stringify(dispatch.upstreamModel) });
  }
  const limit = dispatch.outputTokens;
  if (limit === undefined) return edits;
  edits.push({ op: 'set', path: ['max_tokens'], json: String(limit) });
  const { thinking } = request;
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= limit) {
    if (limit > MIN_THINKING_TOKENS) {
      edits.push({ op: 'set', path: ['thinking', 'budget_tokens'], json: String(limit - 1) });
    } else {
      edits.push({ op: 'set', path: ['thinking'], json: '{"type":"disabled"}' });
    }
  }
  return edits;
}
