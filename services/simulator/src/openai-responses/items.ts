import type { Plan, PlannedToolCall } from '../model/plan.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';
import { tokenLogprob } from '../openai-chat/logprobs.ts';
import { parseObject } from '../validation/fields.ts';
import type { ResponsesBody } from './schema.ts';
import { type WebSearchItem, webItems } from './web.ts';

/** Optional output that a request includes. */
export interface OutputOptions {
  summary: boolean;
  encrypted: boolean;
  /** Whether searches have their sources. */
  sources: boolean;
  /** Alternatives returned for each token; undefined without log probabilities. */
  logprobs: number | undefined;
}

/** Reads the optional output that a body includes. */
export function outputOptions(body: ResponsesBody): OutputOptions {
  const includes = body.include ?? [];
  return {
    summary: (body.reasoning?.summary ?? body.reasoning?.generate_summary) != null,
    encrypted: includes.includes('reasoning.encrypted_content'),
    sources: includes.includes('web_search_call.action.sources'),
    logprobs: includes.includes('message.output_text.logprobs') ? (body.top_logprobs ?? 0) : undefined,
  };
}

export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  summary: { type: 'summary_text'; text: string }[];
  encrypted_content?: string;
}

export interface MessageItem {
  type: 'message';
  id: string;
  status: string;
  role: 'assistant';
  content: object[];
}

interface CallHead {
  id: string;
  call_id: string;
  status: string;
}

export type CallItem = CallHead &
  (
    | { type: 'function_call'; name: string; namespace?: string; arguments: string }
    | { type: 'custom_tool_call'; name: string; namespace?: string; input: string }
    | { type: 'tool_search_call'; execution: 'client'; arguments: unknown }
    | { type: 'local_shell_call'; action: object }
  );

export type OutputItem = ReasoningItem | WebSearchItem | MessageItem | CallItem;

/** The complete items of a response: reasoning, uses of web tools, message, tool calls. */
export function outputItems(plan: Plan, shown: OutputOptions): OutputItem[] {
  const status = isIncomplete(plan) ? 'incomplete' : 'completed';
  const items: OutputItem[] = [];
  if (plan.reasoning !== undefined) items.push(reasoningItem(plan, shown));
  items.push(...webItems(plan, shown.sources));
  if (plan.pieces.length > 0 || plan.toolCalls.length === 0) {
    const id = `msg_sim${plan.digest.slice(0, 40)}`;
    items.push({
      type: 'message',
      id,
      status,
      role: 'assistant',
      content: plan.blocked ? [] : [textPart(plan, shown)],
    });
  }
  for (const [index, call] of plan.toolCalls.entries()) items.push(callItem(plan, call, index, status));
  return items;
}

/** Whether a response ended early. */
export function isIncomplete(plan: Plan): boolean {
  const { finish } = plan;
  return finish === 'length' || finish === 'context' || finish === 'content_filter' || finish === 'recitation';
}

function reasoningItem(plan: Plan, shown: OutputOptions): ReasoningItem {
  const { text, redacted } = plan.reasoning ?? { text: '', redacted: false };
  const id = `rs_sim${plan.digest.slice(0, 40)}`;
  const summary: ReasoningItem['summary'] =
    shown.summary && !redacted && text !== '' ? [{ type: 'summary_text', text }] : [];
  const encrypted = shown.encrypted ? { encrypted_content: wrapReasoning({ kind: 'responses', text, item: id }) } : {};
  return { type: 'reasoning', id, summary, ...encrypted };
}

function textPart(plan: Plan, shown: OutputOptions) {
  const text = plan.pieces.join('');
  if (plan.refused) return { type: 'refusal', refusal: text };
  const top = shown.logprobs;
  return {
    type: 'output_text',
    text,
    annotations: annotations(plan),
    logprobs: top === undefined ? [] : plan.pieces.map((piece, index) => tokenLogprob(piece, index, top)),
  };
}

/** The citations of a response as annotations of its text. */
export function annotations(plan: Plan) {
  const text = plan.pieces.join('');
  return plan.citations.map((citation) => ({
    type: 'url_citation',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? text.length,
    url: citation.url,
    title: citation.title,
  }));
}

function callItem(plan: Plan, call: PlannedToolCall, index: number, status: string): CallItem {
  const named =
    call.namespace === undefined
      ? { name: call.name }
      : { name: call.name.slice(call.namespace.length + 2), namespace: call.namespace };
  const callId = `call_sim${plan.digest.slice(0, 20)}${index}`;
  const tail = `sim${plan.digest.slice(0, 39)}${index}`;
  const input = call.arguments.join('');
  const head = { call_id: callId, status };
  switch (call.item) {
    case 'tool_search':
      return {
        type: 'tool_search_call',
        id: `tsc_${tail}`,
        ...head,
        execution: 'client',
        arguments: parseObject(input) ?? {},
      };
    case 'local_shell':
      return {
        type: 'local_shell_call',
        id: `lsh_${tail}`,
        ...head,
        action: { type: 'exec', env: {}, ...parseObject(input) },
      };
    case undefined:
      return call.custom
        ? { type: 'custom_tool_call', id: `ctc_${tail}`, ...head, ...named, input }
        : { type: 'function_call', id: `fc_${tail}`, ...head, ...named, arguments: input };
    default:
      return call.item satisfies never;
  }
}
