import type { Edit } from '../json/splice.ts';
import type { DecodedChatRequest } from './decode-request.ts';

/** The field an upstream takes for the output limit. OpenAI's newer models refuse `max_tokens`; some others know no other. */
export type OutputLimitField = 'max_completion_tokens' | 'max_tokens';

export interface ChatDispatch {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** Output tokens for each choice, where the balance binds; undefined leaves the request's own limit as it is. */
  readonly outputTokens: number | undefined;
  /** The field to add where the client set no limit; one that is set is changed in its place. */
  readonly outputLimitField: OutputLimitField;
}

/**
 * What must change in a request on its way to an upstream of the same protocol, beside the edits of its guard: the
 * model's name, the output limit where the balance binds, and usage at the end of a stream.
 */
export function chatRequestEdits(decoded: DecodedChatRequest, dispatch: ChatDispatch): Edit[] {
  const edits: Edit[] = [];
  if (dispatch.upstreamModel !== decoded.model) {
    edits.push({ op: 'set', path: ['model'], json: JSON.stringify(dispatch.upstreamModel) });
  }
  if (dispatch.outputTokens !== undefined) {
    const field = limitFieldSet(decoded) ?? dispatch.outputLimitField;
    edits.push({ op: 'set', path: [field], json: String(dispatch.outputTokens) });
  }
  if (decoded.isStream && !decoded.includeUsage) {
    edits.push({ op: 'set', path: ['stream_options', 'include_usage'], json: 'true' });
  }
  return edits;
}

function limitFieldSet({ request }: DecodedChatRequest): OutputLimitField | undefined {
  if (typeof request.max_completion_tokens === 'number') return 'max_completion_tokens';
  return typeof request.max_tokens === 'number' ? 'max_tokens' : undefined;
}
