import type { Tool } from '../../canonical/tool.ts';
import type { CanonicalResult } from '../../interface/protocol.ts';
import { isSet } from '../../json/record.ts';
import { append, isTurnOver, type Stages } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { decodeFields } from '../shared/fields.ts';
import { type ResponsesRequest, requestSchema } from '../shared/schema.ts';
import { decodeTool } from '../shared/tools.ts';
import { decodeMessages } from './decode-messages.ts';
import type { ParsedRequest } from './parse.ts';
import type { ResponsesPolicy } from './policy-result.ts';

/** Decodes a request into the canonical form, without what the policies drop. */
export function* decodeRequest(parsed: ParsedRequest, policy: ResponsesPolicy): Stages<CanonicalResult> {
  const { request } = parsed;
  const diagnostics = new Diagnostics();
  const { messages, tools: later } = yield* decodeMessages(parsed, policy, diagnostics);
  const tools: Tool[] = [];
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (isTurnOver()) yield;
    if (!policy.droppedTools.has(index)) append(tools, yield* decodeTool(tool, `tools[${index}]`, diagnostics));
  }
  const { fields, names } = decodeFields(request, policy.droppedFields, diagnostics);
  noteOthers(request, diagnostics);
  const [refusal] = diagnostics.errors;
  if (refusal !== undefined) return { ok: false, error: refusal };
  if (messages.length === 0) {
    return { ok: false, error: { path: 'input', message: 'input: must not be empty' } };
  }
  const canonical = { messages, tools: lastOfEachName([...tools, ...later]), names, ...fields };
  return { ok: true, request: canonical, warnings: diagnostics.warnings };
}

/** A conversation can declare a tool again, as every search does that finds it. Providers refuse two of one name. */
function lastOfEachName(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return byName.size === tools.length ? tools : [...byName.values()];
}

const NOT_PASSED_ON = "not passed on to this model's provider";

/**
 * Fields of the schema that only their own provider has, and that can be dropped without changing the response. All
 * others of the schema are decoded elsewhere, checked by the policies, or concern the call and not the prompt.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['image', 'prompt_cache_options']);

/** Reports the fields that are not decoded. */
function noteOthers(request: ResponsesRequest, diagnostics: Diagnostics): void {
  const { shape } = requestSchema;
  for (const [field, value] of Object.entries(request)) {
    if (!isSet(value)) continue;
    if (LEFT_OUT.has(field) || !Object.hasOwn(shape, field)) diagnostics.warn(field, NOT_PASSED_ON);
  }
  const { moderation } = request;
  if (!isSet(moderation)) return;
  if (blocks(moderation['policy'])) diagnostics.reject('moderation.policy', "not available at this model's provider");
  else diagnostics.warn('moderation', NOT_PASSED_ON);
}

/** Whether the provider's moderation can block the response. */
function blocks(policy: unknown): boolean {
  return JSON.stringify(policy ?? null).includes('"block"');
}
