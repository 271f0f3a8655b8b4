import { detachOpaques } from '../../canonical/opaque-carrier.ts';
import type { OutputPart } from '../../canonical/part.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import { inputObject } from '../../canonical/tool-call.ts';
import type { FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { encodeCitation } from '../shared/citations.ts';
import { encodeFinish, endingOf } from '../shared/finish-reason.ts';
import { encodeReasoning } from '../shared/reasoning.ts';
import { encodeUsage } from '../shared/usage.ts';

/** Encodes a buffered response, with all members that the SDK's `Message` requires. */
export function encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
  const [choice] = response.choices;
  const parts = detachOpaques(choice?.parts ?? [], { endsInReasoning: false });
  const message = JSON.stringify({
    ...messageHead(context),
    content: parts.flatMap((part) => blockOf(part) ?? []),
    ...encodeFinish(choice?.finish ?? { reason: 'other', raw: '' }, endingOf(parts)),
  });
  return Buffer.from(`${message.slice(0, -1)},"usage":${encodeUsage(final.usage, final.cost)}}`);
}

/** The first members of a response, buffered or streamed. */
export function messageHead(context: ResponseContext): JsonRecord {
  return {
    id: `msg_${context.newId()}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
}

/** A call in a response, with its complete input or, at the beginning of a stream, an empty one. */
export function toolUseBlock(call: { readonly id: string; readonly name: string }, input: JsonRecord): JsonRecord {
  return { type: 'tool_use', id: call.id, name: call.name, input, caller: { type: 'direct' } };
}

/** Undefined for images and audio, which the protocol has no blocks for and its clients cannot request. */
function blockOf(part: OutputPart): JsonRecord | undefined {
  switch (part.type) {
    case 'text': {
      const citations = part.citations?.flatMap((citation) => encodeCitation(citation) ?? []) ?? [];
      if (part.text === '' && citations.length === 0) return undefined;
      return { type: 'text', text: part.text, ...(citations.length > 0 && { citations }) };
    }
    case 'refusal':
      return part.text === '' ? undefined : { type: 'text', text: part.text };
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call':
      return toolUseBlock(part, inputObject(part.input));
    case 'image':
    case 'audio':
      return undefined;
    default:
      return part satisfies never;
  }
}
