import type {
  ImagePart,
  OutputPart,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
} from '../../canonical/part.ts';
import type { TokenLogprob } from '../../canonical/response.ts';
import type { JsonRecord } from '../../json/record.ts';
import { encodeCitation } from '../shared/citations.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import { encodeSignature, encodeUnsigned } from '../shared/reasoning.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import type { DeclaredTools } from '../shared/tool-names.ts';
import { TYPED_CALL_PREFIX, typedCall } from '../shared/typed-tools.ts';

/** What items need besides their contents. */
export interface ItemContext {
  readonly newId: () => string;
  readonly declaredTools: DeclaredTools;
  /** The request asked for a summary: clients then look for reasoning only there. */
  readonly showsSummary: boolean;
}

/** Whether a request asks for a summary of the reasoning. */
export function asksForSummary({ reasoning }: ResponsesRequest): boolean {
  return typeof (reasoning?.summary ?? reasoning?.generate_summary) === 'string';
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A message of the response. */
export function encodeMessage(id: string, status: ItemStatus, content: readonly JsonRecord[]): JsonRecord {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function encodeText(
  text: string,
  annotations: readonly JsonRecord[],
  logprobs: readonly JsonRecord[],
): JsonRecord {
  return { type: 'output_text', text, annotations, logprobs };
}

/** A part of a message: text or a refusal. */
export function encodeSpoken(part: TextPart | RefusalPart, logprobs: readonly TokenLogprob[]): JsonRecord {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  const annotations = (part.citations ?? []).flatMap((citation): JsonRecord[] => {
    const annotation = encodeCitation(citation);
    return annotation === undefined ? [] : [annotation];
  });
  return encodeText(part.text, annotations, encodeLogprobs(logprobs));
}

/**
 * A reasoning item. A foreign signature is wrapped in this protocol's field; an own one has its id.
 *
 * @param id used if the signature has none
 * @param showsSummary complete reasoning is shown as the summary; in `encrypted_content` it stays what it is
 */
export function encodeReasoning(id: string, part: ReasoningPart, showsSummary: boolean): JsonRecord {
  const { text, opaque } = part;
  const form = showsSummary ? 'summary' : part.form;
  const signature = opaque === undefined ? undefined : encodeSignature(opaque);
  const encrypted = signature?.encrypted ?? encodeUnsigned(part);
  return {
    id: signature?.id ?? id,
    type: 'reasoning',
    status: 'completed',
    summary: form === 'summary' && text !== '' ? [{ type: 'summary_text', text }] : [],
    ...(form === 'full' && text !== '' && { content: [{ type: 'reasoning_text', text }] }),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  };
}

/** A tool call. A tool of a namespace has its name within the namespace; one that the protocol defines has its own item. */
export function encodeCall(
  id: string,
  part: Omit<ToolCallPart, 'type'>,
  status: ItemStatus,
  tools: DeclaredTools,
): JsonRecord {
  const declared = tools.get(part.name);
  if (declared?.kind === 'typed') return { id, call_id: part.id, status, ...typedCall(declared.tool, part.input) };
  const name = declared?.name ?? part.name;
  const namespace = declared === undefined ? {} : { namespace: declared.namespace };
  const common = { id, call_id: part.id, name, ...namespace, status };
  switch (part.kind) {
    case 'function':
      return { ...common, type: 'function_call', arguments: part.input };
    case 'custom':
      return { ...common, type: 'custom_tool_call', input: part.input };
    default:
      return part.kind satisfies never;
  }
}

/** The prefix of a call's id. */
export function callPrefix({ name, kind }: Pick<ToolCallPart, 'name' | 'kind'>, tools: DeclaredTools): string {
  const declared = tools.get(name);
  if (declared?.kind === 'typed') return TYPED_CALL_PREFIX[declared.tool];
  return kind === 'function' ? 'fc_' : 'ctc_';
}

/** An image; undefined for one given by URL, since the protocol has only bytes. */
export function encodeImage(id: string, { source }: ImagePart): JsonRecord | undefined {
  if (source.kind === 'url') return undefined;
  const format = source.mediaType.replace(/^image\//, '');
  return { id, type: 'image_generation_call', status: 'completed', output_format: format, result: source.data };
}

/** The items of a response's parts. Audio has none. */
export function encodeOutput(
  parts: readonly OutputPart[],
  logprobs: readonly TokenLogprob[],
  lastStatus: ItemStatus,
  context: ItemContext,
): JsonRecord[] {
  const { newId } = context;
  const items: JsonRecord[] = [];
  const firstText = parts.findIndex(({ type }) => type === 'text');
  let content: JsonRecord[] = [];
  const flush = (status: ItemStatus) => {
    if (content.length > 0) items.push(encodeMessage(`msg_${newId()}`, status, content));
    content = [];
  };
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text' || part.type === 'refusal') {
      content.push(encodeSpoken(part, index === firstText ? logprobs : []));
      continue;
    }
    flush('completed');
    const item = itemOf(part, context);
    if (item !== undefined) items.push(item);
  }
  flush(lastStatus);
  return items;
}

function itemOf(
  part: Exclude<OutputPart, TextPart | RefusalPart>,
  { newId, declaredTools: tools, showsSummary }: ItemContext,
): JsonRecord | undefined {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(`rs_${newId()}`, part, showsSummary);
    case 'tool-call':
      return encodeCall(`${callPrefix(part, tools)}${newId()}`, part, 'completed', tools);
    case 'image':
      return encodeImage(`ig_${newId()}`, part);
    case 'audio':
      return undefined;
    default:
      return part satisfies never;
  }
}
