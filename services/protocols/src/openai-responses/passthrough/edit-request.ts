import type { Dispatch } from '../../interface/protocol.ts';
import { elementsOf } from '../../json/elements.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ResponsesPolicy } from '../client/policy-result.ts';
import { asksForReasoning, INCLUDE_ENCRYPTED } from '../shared/reasoning.ts';
import { foreignReasoning, isReadable } from './foreign-signatures.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, and nothing stored. Reasoning is therefore requested in encrypted form.
 */
export function editRequest(parsed: ParsedRequest, policy: ResponsesPolicy, dispatch: Dispatch): Buffer {
  const { object, request, items } = parsed;
  const edits: Edit[] = [];
  if (dispatch.upstreamModel !== request.model) set(edits, 'model', JSON.stringify(dispatch.upstreamModel));
  if (dispatch.outputTokens !== undefined) set(edits, 'max_output_tokens', String(dispatch.outputTokens));
  if (request.store !== false) set(edits, 'store', 'false');
  const include = request.include ?? [];
  if (!include.includes(INCLUDE_ENCRYPTED) && asksForReasoning(dispatch.upstreamModel, saysItReasons(parsed))) {
    set(edits, 'include', JSON.stringify([...include, INCLUDE_ENCRYPTED]));
  }
  for (const field of policy.droppedFields) edits.push({ op: 'remove', path: [field] });
  if (!policy.droppedFields.has('tools')) leaveOut(edits, object, 'tools', policy.droppedTools);
  leaveOut(edits, object, 'input', new Set([...policy.droppedItems, ...foreignReasoning(items)]));
  return splice(object, edits);
}

/** Warnings for what is dropped only for an upstream of the same protocol. */
export function passthroughWarnings({ items }: ParsedRequest): Diagnostic[] {
  return foreignReasoning(items).map((index) =>
    diagnostic(`input[${index}]`, 'left out, since it has no reasoning that this provider can read'),
  );
}

function set(edits: Edit[], field: string, json: string): void {
  edits.push({ op: 'set', path: [field], json });
}

function saysItReasons({ request, items }: ParsedRequest): boolean {
  const { reasoning } = request;
  const asked = typeof reasoning?.effort === 'string' || typeof reasoning?.summary === 'string';
  if (asked && reasoning?.effort !== 'none') return true;
  return items.some((read) => read.kind === 'reasoning' && isReadable(read.item));
}

/** Removes elements of an array; the bytes of the others stay. */
function leaveOut(edits: Edit[], object: JsonObject, field: string, dropped: ReadonlySet<number>): void {
  const member = memberOf(object, field);
  if (dropped.size === 0 || member === undefined) return;
  const texts = elementsOf(object, member)
    .filter((_, index) => !dropped.has(index))
    .map(({ start, end }) => object.bytes.toString('utf8', start, end));
  set(edits, field, `[${texts.join(',')}]`);
}
