import { append } from '../../append.ts';
import { EncodeNotes } from '../../canonical/encode-notes.ts';
import type { Tool } from '../../canonical/tool.ts';
import { isSet } from '../../json/record.ts';
import type { CanonicalReading } from '../../protocol.ts';
import { isTurnOver, type Stages } from '../../stages.ts';
import { type ResponsesRequest, responsesRequestSchema } from '../schema.ts';
import { readFields } from '../shared/fields.ts';
import { readTool } from '../shared/tools.ts';
import { readMessages } from './decode-messages.ts';
import type { DecodedRequest } from './parse.ts';
import type { ResponsesGuard } from './policy.ts';

/** Reads a request into no vendor's words, without what the guard leaves out. */
export function* decodeRequest(decoded: DecodedRequest, guard: ResponsesGuard): Stages<CanonicalReading> {
  const { request } = decoded;
  const notes = new EncodeNotes();
  const { messages, tools: later } = yield* readMessages(decoded, guard.droppedItems, notes);
  const tools: Tool[] = [];
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (isTurnOver()) yield;
    if (!guard.droppedTools.has(index)) append(tools, yield* readTool(tool, `tools[${index}]`, notes));
  }
  const { fields, names } = readFields(request, guard.droppedFields, notes);
  noteOthers(request, notes);
  const [refusal] = notes.refusals;
  if (refusal !== undefined) return { ok: false, error: refusal };
  if (messages.length === 0) {
    return { ok: false, error: { path: 'input', message: 'input: expected something to answer' } };
  }
  const canonical = { messages, tools: [...tools, ...later], names, ...fields };
  return { ok: true, request: canonical, warnings: notes.warnings };
}

const NOT_PASSED_ON = "not passed on to this model's provider";

/**
 * Fields of the schema that mean something only at their own provider, and whose loss does not change the answer. All
 * others of the schema are read elsewhere, judged by the guard, or say something of the call and not of the prompt.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['image', 'prompt_cache_options']);

/** Tells what becomes of the fields that are not read. */
function noteOthers(request: ResponsesRequest, notes: EncodeNotes): void {
  const { shape } = responsesRequestSchema;
  for (const [field, value] of Object.entries(request)) {
    if (!isSet(value)) continue;
    if (LEFT_OUT.has(field) || !Object.hasOwn(shape, field)) notes.warn(field, NOT_PASSED_ON);
  }
  const { moderation } = request;
  if (!isSet(moderation)) return;
  if (blocks(moderation['policy'])) notes.refuse('moderation.policy', "not available at this model's provider");
  else notes.warn('moderation', NOT_PASSED_ON);
}

/** Whether what the provider finds would keep an answer from the client. */
function blocks(policy: unknown): boolean {
  return JSON.stringify(policy ?? null).includes('"block"');
}
