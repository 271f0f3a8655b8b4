import type { Controls } from '../controls/schema.ts';
import { Pacing } from '../delivery/pacing.ts';
import type { StreamEvent } from '../delivery/stream.ts';
import { NO_USAGE, type Plan } from '../model/plan.ts';
import type { Block } from './blocks.ts';
import { stopFields } from './stop-reason.ts';
import { deltaUsageJson, type Processing, usageJson } from './usage.ts';

const PING = event('ping', {});

/** The JSON of a buffered message. */
export function messageJson(plan: Plan, blocks: readonly Block[], processing: Processing, controls: Controls): string {
  return JSON.stringify({
    ...head(plan),
    content: blocks.map((block) => block.complete),
    ...stopFields(plan.finish, plan.stopSequence),
    ...usageField(controls, usageJson(controls.usage === 'zero' ? NO_USAGE : plan.usage, processing, plan.web)),
  });
}

/** The events of a streamed message. */
export function* messageEvents(
  plan: Plan,
  blocks: readonly Block[],
  processing: Processing,
  controls: Controls,
): Generator<StreamEvent> {
  const pacing = new Pacing(controls);
  const counted = controls.usage === 'zero' ? NO_USAGE : plan.usage;
  const input = Math.min(plan.web?.firstInput ?? counted.input, counted.input);
  const started = usageJson({ ...counted, input, output: Math.min(counted.output, 1), reasoning: 0 }, processing);
  const message = {
    ...head(plan),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...usageField(controls, started),
  };
  yield event('message_start', { message });
  if (blocks.length === 0) yield PING;
  for (const [index, block] of blocks.entries()) {
    yield event('content_block_start', { index, content_block: block.opening });
    if (index === 0) yield PING;
    for (const { delta, token } of block.deltas) {
      yield event('content_block_delta', { index, delta }, token ? pacing.next() : 0);
    }
    yield event('content_block_stop', { index });
  }
  const delta = { ...stopFields(plan.finish, plan.stopSequence), container: null };
  yield event('message_delta', { delta, ...usageField(controls, deltaUsageJson(counted, plan.web)) }, pacing.usage());
  if (controls.no_done !== true) yield event('message_stop', {});
}

function head(plan: Plan) {
  return {
    id: `msg_sim${plan.digest.slice(0, 20)}`,
    type: 'message',
    role: 'assistant',
    model: plan.model,
    container: null,
    diagnostics: null,
  };
}

function usageField<Usage>(controls: Controls, usage: Usage): { usage?: Usage } {
  return controls.usage === 'omit' ? {} : { usage };
}

function event(type: string, given: object, delayMs = 0): StreamEvent {
  return { name: type, data: JSON.stringify({ type, ...given }), delayMs };
}
