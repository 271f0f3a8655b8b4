import type { Controls } from '../controls/schema.ts';
import { Pacing } from '../delivery/pacing.ts';
import type { StreamEvent } from '../delivery/stream.ts';
import { NO_USAGE, type Plan, type Usage } from '../model/plan.ts';
import {
  averageLogprob,
  bufferedParts,
  callPart,
  endFields,
  logprobsFields,
  type OutputOptions,
  shownText,
  shownThoughts,
  signatureField,
} from './candidate.ts';
import { processingOf, usageJson } from './usage.ts';
import { webParts } from './web.ts';

/** The JSON of a buffered response. */
export function responseJson(plan: Plan, options: OutputOptions, controls: Controls): string {
  const usage = countedUsage(plan.usage, plan, options, controls);
  if (plan.blocked) return JSON.stringify({ ...BLOCKED, ...usage, ...tail(plan) });
  const parts = bufferedParts(plan, options, controls);
  const text = shownText(plan);
  const candidates = Array.from({ length: plan.n }, (_, index) => ({
    ...(parts.length > 0 ? { content: { parts, role: 'model' } } : {}),
    ...endFields(plan),
    index,
    ...averageLogprob(text, options),
    ...logprobsFields(text, 0, options),
  }));
  return JSON.stringify({ candidates, ...usage, ...tail(plan) });
}

const BLOCKED = { promptFeedback: { blockReason: 'SAFETY' } };

/** The events of a stream: each is a response with the new part and the counts so far. */
export function* responseEvents(plan: Plan, options: OutputOptions, controls: Controls): Generator<StreamEvent> {
  const pacing = new Pacing(controls);
  if (plan.blocked) {
    const usage = countedUsage(plan.usage, plan, options, controls);
    yield { data: JSON.stringify({ ...BLOCKED, ...usage, ...tail(plan) }), delayMs: pacing.next() };
    return;
  }
  const late = controls.usage === 'late';
  const soFar = { candidates: 0, thoughts: 0 };
  const chunk = (index: number, candidate: object, last: boolean): string => {
    const shows = last ? !late : controls.usage !== 'with_finish' && !late;
    const usage = last ? plan.usage : partialUsage(plan, soFar);
    return JSON.stringify({
      candidates: [{ ...candidate, index }],
      ...(shows ? countedUsage(usage, plan, options, controls) : {}),
      ...tail(plan),
    });
  };
  for (let index = 0; index < plan.n; index += 1) {
    for (const part of streamedParts(plan, options, controls)) {
      soFar.candidates += part.tokens;
      soFar.thoughts += part.thoughts;
      const candidate = { content: { parts: [part.json], role: 'model' }, ...part.fields };
      yield { data: chunk(index, candidate, false), delayMs: pacing.next() };
    }
    yield { data: chunk(index, closingCandidate(plan), index === plan.n - 1), delayMs: 0 };
  }
  if (late) {
    yield {
      data: JSON.stringify({ ...countedUsage(plan.usage, plan, options, controls), ...tail(plan) }),
      delayMs: pacing.usage(),
    };
  }
}

interface StreamedPart {
  json: object;
  fields: object;
  tokens: number;
  thoughts: number;
}

function* streamedParts(plan: Plan, options: OutputOptions, controls: Controls): Generator<StreamedPart> {
  for (const piece of shownThoughts(plan, options)) {
    yield { json: { text: piece, thought: true }, fields: {}, tokens: 0, thoughts: 1 };
  }
  if (options.toolCalls) {
    for (const json of webParts(plan)) yield { json, fields: {}, tokens: 0, thoughts: 0 };
  }
  for (const [index, piece] of shownText(plan).entries()) {
    yield { json: { text: piece }, fields: logprobsFields([piece], index, options), tokens: 1, thoughts: 0 };
  }
  for (const [index, call] of plan.toolCalls.entries()) {
    yield { json: callPart(plan, call, index, controls), fields: {}, tokens: call.arguments.length, thoughts: 0 };
  }
}

function closingCandidate(plan: Plan): object {
  const said = !plan.refused && plan.finish !== 'content_filter';
  const part = { text: '', ...(plan.toolCalls.length === 0 ? signatureField(plan) : {}) };
  return { ...(said ? { content: { parts: [part], role: 'model' } } : {}), ...endFields(plan) };
}

/** Hidden thoughts count from the first event. */
function partialUsage(plan: Plan, soFar: { candidates: number; thoughts: number }): Usage {
  const reasoning = Math.max(plan.usage.reasoning, soFar.thoughts);
  return { ...plan.usage, reasoning, output: reasoning + soFar.candidates };
}

function countedUsage(usage: Usage, { web }: Plan, { serviceTier }: OutputOptions, controls: Controls) {
  if (controls.usage === 'omit') return {};
  const counted = controls.usage === 'zero' ? NO_USAGE : usage;
  return { usageMetadata: { ...usageJson(counted, web), ...processingOf(serviceTier, controls) } };
}

function tail(plan: Plan) {
  return { modelVersion: plan.model, responseId: `sim${plan.digest.slice(0, 20)}` };
}
