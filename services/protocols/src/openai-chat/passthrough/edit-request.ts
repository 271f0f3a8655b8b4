import type { KeptStops } from '../../canonical/stop-words.ts';
import { NO_PARAMETERS } from '../../interface/parameters.ts';
import type { Dispatch } from '../../interface/protocol.ts';
import { isSet } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Adjustment, combineEdits, editsOf, warningsOf } from '../../request/adjustment.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { divideStops } from '../../request/divide-stops.ts';
import { bytesWithoutUnsupported, rejectionOf, unsupportedWithinWarnings } from '../../request/unsupported-fields.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ChatPolicy } from '../client/policy-result.ts';
import { adjustmentsOf, stopsOf } from '../shared/adjust.ts';
import { messageEdits } from './edit-messages.ts';
import { foreignSignatures } from './foreign-signatures.ts';
import { messageFieldWarnings, rejectedMessageFields } from './message-fields.ts';
import { mistralFields } from './mistral-fields.ts';
import { repeatedFields } from './repeated-fields.ts';

type OutputLimitField = 'max_completion_tokens' | 'max_tokens';

/** The field for a limit if the client set none: OpenAI's newer models reject the older one. */
const DEFAULT_LIMIT_FIELD: OutputLimitField = 'max_completion_tokens';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, a request for usage at the end of a stream, and what the model would reject
 * adjusted.
 */
export function editRequest(parsed: ParsedRequest, policy: ChatPolicy, dispatch: Dispatch): Buffer {
  const edits = combineEdits(
    messageEdits(
      parsed,
      [foreignSignatures, ...rejectedMessageFields(dispatch.parameters), repeatedFields, mistralFields],
      dispatch.parameters,
    ),
    dispatchEdits(parsed, dispatch),
    editsOf(adjustments(parsed, dispatch)),
    policy.edits,
  );
  return bytesWithoutUnsupported(splice(parsed.object, edits), parsed.request, dispatch.parameters ?? NO_PARAMETERS);
}

/** Why a provider cannot take a request; undefined if it can. */
export function rejection({ request }: ParsedRequest, { parameters }: Dispatch): Diagnostic | undefined {
  if (parameters === undefined) return undefined;
  const { problem } = divideStops(stopsOf(request), Number.POSITIVE_INFINITY, parameters);
  return problem === undefined ? rejectionOf(request, parameters) : diagnostic('stop', problem);
}

/** The stop words that the provider does not take. */
export function keptStops({ request, choices }: ParsedRequest, { parameters }: Dispatch): KeptStops | undefined {
  if (parameters === undefined) return undefined;
  const { kept } = divideStops(stopsOf(request), Number.POSITIVE_INFINITY, parameters);
  return kept.length === 0 ? undefined : { words: kept, choices };
}

/** Warnings for what the model would reject. */
export function adjustmentWarnings(parsed: ParsedRequest, dispatch: Dispatch): Diagnostic[] {
  return [
    ...warningsOf(adjustments(parsed, dispatch)),
    ...messageFieldWarnings(parsed, dispatch.parameters),
    ...unsupportedWithinWarnings(parsed.request, dispatch.parameters ?? NO_PARAMETERS),
  ];
}

function adjustments(parsed: ParsedRequest, { parameters, outputTokens }: Dispatch): readonly Adjustment[] {
  if (parameters === undefined) return [];
  const field = limitFieldSet(parsed) ?? DEFAULT_LIMIT_FIELD;
  return adjustmentsOf({ ...parsed.request, ...(outputTokens !== undefined && { [field]: outputTokens }) }, parameters);
}

function dispatchEdits(parsed: ParsedRequest, dispatch: Dispatch): Edit[] {
  const edits: Edit[] = [];
  if (dispatch.upstreamModel !== parsed.model) {
    edits.push({ op: 'set', path: ['model'], json: JSON.stringify(dispatch.upstreamModel) });
  }
  if (dispatch.outputTokens !== undefined) {
    const field = limitFieldSet(parsed) ?? DEFAULT_LIMIT_FIELD;
    edits.push({ op: 'set', path: [field], json: String(dispatch.outputTokens) });
  }
  const takes = (field: string) => dispatch.parameters?.unsupported?.includes(field) !== true;
  const { random_seed: randomSeed, seed } = parsed.request;
  // Mistral itself takes only its own name.
  if (isSet(randomSeed) && takes('seed')) {
    edits.push({ op: 'remove', path: ['random_seed'] });
    edits.push({ op: 'set', path: ['seed'], json: String(seed ?? randomSeed) });
  }
  if (parsed.isStream && !parsed.includeUsage && takes('stream_options')) {
    edits.push({ op: 'set', path: ['stream_options', 'include_usage'], json: 'true' });
  }
  return edits;
}

function limitFieldSet({ request }: ParsedRequest): OutputLimitField | undefined {
  if (typeof request.max_completion_tokens === 'number') return 'max_completion_tokens';
  return typeof request.max_tokens === 'number' ? 'max_tokens' : undefined;
}
