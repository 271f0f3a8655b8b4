import { type ModelParameters, NO_PARAMETERS } from '../../interface/parameters.ts';
import type { Dispatch } from '../../interface/protocol.ts';
import { elementsOf } from '../../json/elements.ts';
import { hasField, parseFieldPath, withoutField } from '../../json/field-path.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Adjustment, combineEdits, editsOf, warningsOf } from '../../request/adjustment.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { bytesWithoutUnsupported, rejectionOf, unsupportedWithinWarnings } from '../../request/unsupported-fields.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ResponsesPolicy } from '../client/policy-result.ts';
import { LIMIT_FIELD } from '../client/tool-policy.ts';
import { adjustmentsOf } from '../shared/adjust.ts';
import { asksForReasoning, INCLUDE_ENCRYPTED } from '../shared/reasoning.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import { isPlainCall, plainNames } from '../shared/tool-names.ts';
import { foreignReasoning, isReadable } from './foreign-signatures.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, and nothing stored. Reasoning is therefore requested in encrypted form.
 */
export function editRequest(parsed: ParsedRequest, policy: ResponsesPolicy, dispatch: Dispatch): Buffer {
  const { object, request } = parsed;
  const edits: Edit[] = [];
  if (dispatch.upstreamModel !== request.model) set(edits, 'model', JSON.stringify(dispatch.upstreamModel));
  if (dispatch.outputTokens !== undefined) set(edits, 'max_output_tokens', String(dispatch.outputTokens));
  const uses = dispatch.hostedUses?.search;
  if (uses !== undefined && uses < (request.max_tool_calls ?? Number.POSITIVE_INFINITY)) {
    set(edits, LIMIT_FIELD, String(uses));
  }
  if (request.store !== false) set(edits, 'store', 'false');
  const include = request.include ?? [];
  const isAsked = include.includes(INCLUDE_ENCRYPTED);
  const asks = asksForReasoning(dispatch.parameters, isAsked || saysItReasons(parsed));
  if (asks && !isAsked) set(edits, 'include', JSON.stringify([...include, INCLUDE_ENCRYPTED]));
  if (isAsked && !asks) set(edits, 'include', JSON.stringify(include.filter((one) => one !== INCLUDE_ENCRYPTED)));
  for (const field of policy.droppedFields) edits.push({ op: 'remove', path: [field] });
  if (!policy.droppedFields.has('tools')) leaveOut(edits, object, 'tools', policy.droppedTools);
  leaveOutItems(edits, parsed, policy, dispatch.parameters);
  const edited = splice(object, combineEdits(edits, editsOf(adjustments(parsed, policy, dispatch))));
  const loaded = policy.loadsAll ? withoutDeferral(edited, request) : edited;
  return bytesWithoutUnsupported(loaded, request, dispatch.parameters ?? NO_PARAMETERS);
}

/** Where OpenAI looks for deferred tools, and refuses them without a search. */
const DEFERRAL = ['tools[]', 'tools[].tools[]', 'input[].tools[]', 'input[].tools[].tools[]'].map((tools) =>
  parseFieldPath(`${tools}.defer_loading`),
);

function withoutDeferral(bytes: Buffer, request: ResponsesRequest): Buffer {
  return DEFERRAL.filter((path) => hasField(request, path)).reduce(withoutField, bytes);
}

/** Why a provider cannot take a request; undefined if it can. */
export function rejection({ request }: ParsedRequest, { parameters }: Dispatch): Diagnostic | undefined {
  return parameters === undefined ? undefined : rejectionOf(request, parameters);
}

/** Warnings for what the model would reject. */
export function adjustmentWarnings(parsed: ParsedRequest, policy: ResponsesPolicy, dispatch: Dispatch): Diagnostic[] {
  return [
    ...warningsOf(adjustments(parsed, policy, dispatch)),
    ...unsupportedWithinWarnings(parsed.request, dispatch.parameters ?? NO_PARAMETERS),
  ];
}

function adjustments(
  { request }: ParsedRequest,
  { droppedFields }: ResponsesPolicy,
  { parameters, outputTokens }: Dispatch,
): readonly Adjustment[] {
  if (parameters === undefined) return [];
  const body = { ...request, ...(outputTokens !== undefined && { max_output_tokens: outputTokens }) };
  return adjustmentsOf(body, parameters).filter(({ path }) => !droppedFields.has(path[0]));
}

/**
 * Removes items and tools in items that the policies drop, reasoning that the provider cannot read, content that is null where
 * the provider rejects it (Codex sends it with all reasoning), and namespaces that only deferred tools have.
 */
export function leaveOutItems(
  edits: Edit[],
  { object, request, items }: ParsedRequest,
  policy: ResponsesPolicy,
  parameters: ModelParameters = NO_PARAMETERS,
): void {
  const dropped = new Set([...policy.droppedItems, ...foreignReasoning(items)]);
  const changed = new Map<number, (item: Buffer) => Buffer>();
  for (const [index, tools] of policy.droppedItemTools) changed.set(index, (item) => withoutTools(item, tools));
  const plain = policy.loadsAll ? plainNames(request.tools ?? []) : NO_NAMES;
  for (const [index, { kind, item }] of items.entries()) {
    if (parameters.nullContent === false && kind === 'reasoning' && item.content === null) {
      changed.set(index, (bytes) => withoutField(bytes, CONTENT));
    }
    if (kind !== 'other' && isPlainCall(item, plain)) changed.set(index, (bytes) => withoutField(bytes, NAMESPACE));
  }
  editItems(edits, object, dropped, changed);
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

/** Removes items of `input`, and changes others. */
function editItems(
  edits: Edit[],
  object: JsonObject,
  dropped: ReadonlySet<number>,
  changed: ReadonlyMap<number, (item: Buffer) => Buffer>,
): void {
  if (changed.size === 0) {
    leaveOut(edits, object, 'input', dropped);
    return;
  }
  const member = memberOf(object, 'input');
  if (member === undefined) return;
  const texts: string[] = [];
  for (const [index, { start, end }] of elementsOf(object, member).entries()) {
    if (dropped.has(index)) continue;
    const bytes = object.bytes.subarray(start, end);
    texts.push((changed.get(index)?.(bytes) ?? bytes).toString('utf8'));
  }
  set(edits, 'input', `[${texts.join(',')}]`);
}

const CONTENT = parseFieldPath('content');
const NAMESPACE = parseFieldPath('namespace');
const NO_NAMES: ReadonlySet<string> = new Set();

/** The request is valid, so its items are. */
const ITEM_LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

function withoutTools(item: Buffer, dropped: ReadonlySet<number>): Buffer {
  const scanned = scanObject(item, ITEM_LIMITS);
  if (!scanned.ok) return item;
  const edits: Edit[] = [];
  leaveOut(edits, scanned.object, 'tools', dropped);
  return splice(scanned.object, edits);
}
