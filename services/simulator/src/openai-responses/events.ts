import type { Controls } from '../controls/schema.ts';
import { Pacing } from '../delivery/pacing.ts';
import type { StreamEvent } from '../delivery/stream.ts';
import type { Plan } from '../model/plan.ts';
import { tokenLogprob } from '../openai-chat/logprobs.ts';
import { LENGTH_ERROR } from './errors.ts';
import {
  annotations,
  type CallItem,
  type MessageItem,
  type OutputItem,
  type OutputOptions,
  type ReasoningItem,
} from './items.ts';
import { finalResponse, finalStatus, openingResponse } from './response.ts';
import type { ResponsesBody } from './schema.ts';

/** An event without its sequence number. */
interface Step {
  type: string;
  given: object;
  /** Whether it contains a token, which has a delay. */
  token?: boolean;
}

/** The events of a streamed response, with names and sequence numbers. */
export function* responseEvents(
  plan: Plan,
  body: ResponsesBody,
  items: readonly OutputItem[],
  shown: OutputOptions,
  controls: Controls,
): Generator<StreamEvent> {
  const pacing = new Pacing(controls);
  const obfuscation = body.stream_options?.include_obfuscation === true ? { obfuscation: 'simulated' } : {};
  let sequence = 0;
  const event = (step: Step, delayMs: number): StreamEvent => {
    const extra = step.token === true ? obfuscation : {};
    const data = JSON.stringify({ type: step.type, ...step.given, sequence_number: sequence, ...extra });
    sequence += 1;
    return { name: step.type, data, delayMs };
  };
  const response = openingResponse(plan, body);
  yield event({ type: 'response.created', given: { response } }, 0);
  yield event({ type: 'response.in_progress', given: { response } }, 0);
  for (const [index, item] of items.entries()) {
    for (const step of itemSteps(item, index, items.length - plan.toolCalls.length, plan, shown)) {
      yield event(step, step.token === true ? pacing.next() : 0);
    }
  }
  if (controls.no_done === true) return;
  const final = finalResponse(plan, body, items, controls);
  yield event({ type: `response.${finalStatus(plan)}`, given: { response: final } }, pacing.usage());
}

/** The events of a stream whose prompt is too long. */
export function* refusalEvents(plan: Plan, body: ResponsesBody): Generator<StreamEvent> {
  const response = openingResponse(plan, body);
  const failed = { ...response, status: 'failed', error: LENGTH_ERROR, usage: null };
  const steps: Step[] = [
    { type: 'response.created', given: { response } },
    { type: 'response.in_progress', given: { response } },
    { type: 'response.failed', given: { response: failed } },
  ];
  for (const [sequence, { type, given }] of steps.entries()) {
    yield { name: type, data: JSON.stringify({ type, ...given, sequence_number: sequence }), delayMs: 0 };
  }
}

/** @param firstCall index of the first item that is a tool call */
function* itemSteps(
  item: OutputItem,
  index: number,
  firstCall: number,
  plan: Plan,
  shown: OutputOptions,
): Generator<Step> {
  yield { type: 'response.output_item.added', given: { output_index: index, item: openingItem(item) } };
  const place = { item_id: item.id, output_index: index };
  switch (item.type) {
    case 'reasoning':
      yield* reasoningSteps(item, place, plan);
      break;
    case 'message':
      yield* messageSteps(item, place, plan, shown);
      break;
    case 'web_search_call':
      for (const state of ['in_progress', 'searching', 'completed']) {
        yield { type: `response.web_search_call.${state}`, given: place };
      }
      break;
    case 'tool_search_call':
    case 'local_shell_call':
      break;
    case 'function_call':
    case 'custom_tool_call':
      yield* callSteps(item, place, plan.toolCalls[index - firstCall]?.arguments ?? []);
      break;
    default:
      item satisfies never;
  }
  yield { type: 'response.output_item.done', given: { output_index: index, item } };
}

interface Place {
  item_id: string;
  output_index: number;
}

function openingItem(item: OutputItem): object {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] };
    case 'web_search_call':
      return { id: item.id, type: item.type, status: 'in_progress' };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    case 'tool_search_call':
    case 'local_shell_call':
      return { ...item, status: 'in_progress' };
    default:
      return item satisfies never;
  }
}

function* reasoningSteps(item: ReasoningItem, place: Place, plan: Plan): Generator<Step> {
  for (const [index, part] of item.summary.entries()) {
    const at = { ...place, summary_index: index };
    yield { type: 'response.reasoning_summary_part.added', given: { ...at, part: { type: part.type, text: '' } } };
    for (const delta of plan.reasoning?.pieces ?? []) {
      yield { type: 'response.reasoning_summary_text.delta', given: { ...at, delta }, token: true };
    }
    yield { type: 'response.reasoning_summary_text.done', given: { ...at, text: part.text } };
    yield { type: 'response.reasoning_summary_part.done', given: { ...at, part } };
  }
}

function* messageSteps(item: MessageItem, place: Place, plan: Plan, shown: OutputOptions): Generator<Step> {
  const [part] = item.content;
  if (part === undefined) return;
  const at = { ...place, content_index: 0 };
  const text = plan.pieces.join('');
  const opening = plan.refused ? { refusal: '' } : { text: '', annotations: [], logprobs: [] };
  yield { type: 'response.content_part.added', given: { ...at, part: { ...part, ...opening } } };
  if (plan.refused) {
    for (const delta of plan.pieces) yield { type: 'response.refusal.delta', given: { ...at, delta }, token: true };
    yield { type: 'response.refusal.done', given: { ...at, refusal: text } };
  } else {
    const reported = plan.pieces.map((piece, index) =>
      shown.logprobs === undefined ? [] : [tokenLogprob(piece, index, shown.logprobs)],
    );
    for (const [index, delta] of plan.pieces.entries()) {
      yield { type: 'response.output_text.delta', given: { ...at, delta, logprobs: reported[index] }, token: true };
    }
    for (const [index, annotation] of annotations(plan).entries()) {
      const given = { ...at, annotation_index: index, annotation };
      yield { type: 'response.output_text.annotation.added', given };
    }
    yield { type: 'response.output_text.done', given: { ...at, text, logprobs: reported.flat() } };
  }
  yield { type: 'response.content_part.done', given: { ...at, part } };
}

function* callSteps(
  item: Extract<CallItem, { type: 'function_call' | 'custom_tool_call' }>,
  place: Place,
  pieces: readonly string[],
): Generator<Step> {
  const [name, field, value] =
    item.type === 'function_call'
      ? (['response.function_call_arguments', 'arguments', item.arguments] as const)
      : (['response.custom_tool_call_input', 'input', item.input] as const);
  for (const delta of pieces) {
    yield { type: `${name}.delta`, given: { ...place, delta }, token: true };
  }
  yield { type: `${name}.done`, given: { ...place, [field]: value } };
}
