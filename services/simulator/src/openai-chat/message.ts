import type { Controls } from '../controls/schema.ts';
import type { Plan } from '../model/plan.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';

/** The id of the response's tool call at an index. */
export function toolCallId(plan: Plan, index: number): string {
  return `call_sim${plan.digest.slice(0, 20)}${index}`;
}

/** The citations of a response as annotations of its message. */
export function annotations(plan: Plan) {
  const text = plan.pieces.join('');
  return plan.citations.map((citation) => ({
    type: 'url_citation',
    url_citation: {
      start_index: citation.start ?? 0,
      end_index: citation.end ?? text.length,
      title: citation.title,
      url: citation.url,
    },
  }));
}

/** Reasoning as providers write it that send it back signed: with the control `reasoning_details`. */
export function reasoningDetails(plan: Plan, controls: Controls) {
  if (controls.reasoning_details !== true || plan.reasoning === undefined) return [];
  const { text, redacted } = plan.reasoning;
  const signed = wrapReasoning({ kind: 'chat', text });
  return redacted
    ? [{ type: 'reasoning.encrypted', data: signed, index: 0 }]
    : [{ type: 'reasoning.text', text, signature: signed, index: 0 }];
}

/** The visible reasoning text; empty for none. */
export function shownReasoning(plan: Plan): readonly string[] {
  return plan.reasoning === undefined || plan.reasoning.redacted ? [] : plan.reasoning.pieces;
}
