import type { Dispatch } from '../../interface/protocol.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { MessagesPolicy } from '../client/policy-result.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS } from '../shared/schema.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * and the output limit that the balance allows.
 */
export function editRequest({ object, request }: ParsedRequest, policy: MessagesPolicy, dispatch: Dispatch): Buffer {
  const isThinkingRemoved = policy.edits.some((edit) => edit.path[0] === 'thinking');
  const edits = dispatchEdits(request, dispatch);
  const others = isThinkingRemoved ? edits.filter((edit) => edit.path[0] !== 'thinking') : edits;
  return splice(object, [...policy.edits, ...others]);
}

/** A thinking budget above the new limit is reduced, since Anthropic requires a budget below the limit. */
function dispatchEdits(request: MessagesRequest, dispatch: Dispatch): Edit[] {
  const edits: Edit[] = [];
  if (dispatch.upstreamModel !== request.model) {
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
