import { carryThoughts } from '../../canonical/carried-thoughts.ts';
import type { AudioPart, OutputPart, ToolCallPart } from '../../canonical/part.ts';
import type { CanonicalResponse, Choice } from '../../canonical/response.ts';
import { openaiTier } from '../../canonical/service-tier.ts';
import type { FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';
import { encodeCitations } from '../shared/citations.ts';
import { encodeFinishReason } from '../shared/finish-reason.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import { encodeImage } from '../shared/media.ts';
import { encodeCallSignature, encodeReasoning, encodeTextSignature } from '../shared/reasoning.ts';
import { encodeUsage } from '../shared/usage.ts';

/** How the client expects tool calls. */
export interface CallStyle {
  /** As one `function_call`: for clients that declared the older `functions`. */
  readonly single: boolean;
}

/** The buffered response for a client, with all fields that its specification has. */
export function encodeResponse(
  response: CanonicalResponse,
  final: FinalUsage,
  context: ResponseContext,
  style: CallStyle,
): Buffer {
  const completion = {
    id: `chatcmpl-${context.newId()}`,
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: response.choices.map((choice, index) => choiceOf(choice, index, context, style)),
    service_tier: openaiTier(final.usage.options?.service_tier),
  };
  return Buffer.from(`${JSON.stringify(completion).slice(0, -1)},"usage":${encodeUsage(final.usage, final.cost)}}`);
}

function choiceOf({ parts, finish, logprobs }: Choice, index: number, context: ResponseContext, style: CallStyle) {
  const refusal = parts.some((part) => part.type === 'refusal');
  const reason = encodeFinishReason(finish, { refusal });
  return {
    index,
    message: messageOf(parts, context, style),
    logprobs: logprobs === undefined ? null : encodeLogprobs(logprobs),
    finish_reason: style.single && reason === 'tool_calls' ? 'function_call' : reason,
  };
}

function messageOf(parts: readonly OutputPart[], context: ResponseContext, style: CallStyle): JsonRecord {
  const gathered = gather(carryThoughts(parts, 'signatures'));
  const { texts, refusals, annotations, thoughts, details, images, calls, audio } = gathered;
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    refusal: refusals.length === 0 ? null : refusals.join(''),
    annotations,
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(images.length > 0 && { images }),
    ...(audio !== undefined && { audio: audioOf(audio, context) }),
    ...callsOf(calls, style),
  };
}

interface Gathered {
  readonly texts: string[];
  readonly refusals: string[];
  readonly annotations: JsonRecord[];
  readonly details: JsonRecord[];
  readonly images: JsonRecord[];
  readonly calls: ToolCallPart[];
  thoughts: string;
  audio: AudioPart | undefined;
}

/** The parts by their field in the protocol. Parts of one kind keep their order. */
function gather(parts: readonly OutputPart[]): Gathered {
  const gathered: Gathered = {
    texts: [],
    refusals: [],
    annotations: [],
    details: [],
    images: [],
    calls: [],
    thoughts: '',
    audio: undefined,
  };
  const { texts, refusals, annotations, details, images, calls } = gathered;
  let characters = 0;
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        append(annotations, encodeCitations(part.citations ?? [], characters));
        characters += part.text.length;
        texts.push(part.text);
        if (part.opaque !== undefined) details.push(encodeTextSignature(part.opaque, part.text, details.length));
        break;
      case 'refusal':
        refusals.push(part.text);
        break;
      case 'reasoning':
        gathered.thoughts += part.text;
        if (part.text !== '' || part.opaque !== undefined) {
          details.push(encodeReasoning(part.form, part.text, part.opaque, details.length));
        }
        break;
      case 'tool-call':
        calls.push(part);
        break;
      case 'image':
        images.push(encodeImage(part));
        break;
      case 'audio':
        gathered.audio ??= part;
        break;
      default:
        part satisfies never;
    }
  }
  return gathered;
}

/** A message's `audio`. It can be played, but not referenced in a later turn. */
function audioOf({ data }: AudioPart, context: ResponseContext): JsonRecord {
  return { id: `audio_${context.newId()}`, data, expires_at: context.created, transcript: '' };
}

function callsOf(calls: readonly ToolCallPart[], style: CallStyle): JsonRecord {
  const [first] = calls;
  if (first === undefined) return {};
  // Such clients return one result at a time; the model repeats the other calls once it has that result.
  if (style.single) return { function_call: { name: first.name, arguments: inputOf(first) } };
  return { tool_calls: calls.map(callOf) };
}

function callOf(call: ToolCallPart): JsonRecord {
  const { id, name, kind, input } = call;
  return kind === 'custom'
    ? { id, type: 'custom', custom: { name, input }, ...encodeCallSignature(call) }
    : { id, type: 'function', function: { name, arguments: inputOf(call) }, ...encodeCallSignature(call) };
}

/** Clients parse the arguments of every function, even of one without parameters. */
function inputOf({ input }: ToolCallPart): string {
  return input === '' ? '{}' : input;
}
