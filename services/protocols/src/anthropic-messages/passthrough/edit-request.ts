import type { Dispatch } from '../../interface/protocol.ts';
import { hasField, parseFieldPath, withoutField } from '../../json/field-path.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Adjustment, combineEdits, editsOf, warningsOf } from '../../request/adjustment.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { MessagesPolicy } from '../client/policy-result.ts';
import { adjustmentsOf } from '../shared/adjust.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS } from '../shared/schema.ts';
import { versionFields } from '../upstream/request-form.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, and what the model would reject adjusted.
 */
export function editRequest({ object, request }: ParsedRequest, policy: MessagesPolicy, dispatch: Dispatch): Buffer {
  const adjustments = editsOf(adjustmentsFor(request, dispatch));
  const body = splice(object, combineEdits(dispatchEdits(request, dispatch), adjustments, policy.edits));
  return leftOutFields(request, dispatch).reduce((bytes, field) => withoutField(bytes, parseFieldPath(field)), body);
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
  const adjusted = warningsOf(adjustmentsFor(request, dispatch).filter(({ path }) => !removed.has(path[0])));
  const leftOut = leftOutFields(request, dispatch).map((field) =>
    diagnostic(field, 'left out together with the beta that enables it'),
  );
  return [...adjusted, ...leftOut];
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
