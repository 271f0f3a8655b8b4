import type { Edit } from '../../json/splice.ts';
import type { Dispatch } from '../../protocol.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS } from '../schema.ts';

/**
 * What must change in a request on its way to an upstream of the same protocol, beside what its guard changes: the model's
 * name, and the output limit where the balance binds. A budget for thinking that the new limit has no room for is cut, since
 * Anthropic refuses a budget that is not below the limit.
 */
export function dispatchEdits(request: MessagesRequest, dispatch: Dispatch): Edit[] {
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
