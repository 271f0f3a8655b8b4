import { AFTER, ARGUMENTS, CALL, type Quantities, type Recording, type Scene, TEXT, THOUGHT } from './recorded.ts';

/** The answers of one endpoint of the responses protocol. */
export interface ResponsesAnswers {
  /** Fields of the response beside output, status and usage. */
  head: { id: string; model: string } & Readonly<Record<string, unknown>>;
  callId: string;
  /** The item of reasoning, and the events of its text; absent for a provider without. */
  reasoning?: {
    item: (text: string) => object;
    events: (text: string, index: number) => readonly object[];
    returned: object;
  };
  counts: Readonly<Record<'text' | 'tools' | 'after', ResponsesCount>> & { reasoning?: ResponsesCount };
  /** Fields of each text delta, such as `obfuscation`. */
  delta?: object;
}

type ResponsesCount = readonly [written: object, meant: Quantities];

/** The scenes with these answers. */
export function responsesScenes(answers: ResponsesAnswers): Scene[] {
  const { counts, reasoning } = answers;
  const after = recording(answers, { text: AFTER }, counts.after);
  const scenes: Scene[] = [
    { name: 'text', answer: recording(answers, { text: TEXT }, counts.text) },
    { name: 'tools', answer: recording(answers, { calls: true }, counts.tools), after },
  ];
  if (reasoning === undefined || counts.reasoning === undefined) return scenes;
  const answer = recording(answers, { thinks: true, calls: true }, counts.reasoning);
  return [...scenes, { name: 'reasoning', answer, after, returned: reasoning.returned }];
}

interface Said {
  text?: readonly string[];
  thinks?: boolean;
  calls?: boolean;
}

function recording(answers: ResponsesAnswers, said: Said, [written, usage]: ResponsesCount): Recording {
  const { head, reasoning, callId } = answers;
  const base = { object: 'response', created_at: 1_781_000_000, ...head, error: null, incomplete_details: null };
  const items: { item: object; events: readonly object[]; opened: object }[] = [];
  if (said.thinks && reasoning !== undefined) {
    const item = reasoning.item(THOUGHT);
    items.push({ item, events: reasoning.events(THOUGHT, items.length), opened: reasoning.item('') });
  }
  if (said.text !== undefined) items.push(textItem(answers, said.text, items.length));
  if (said.calls) items.push(callItem(callId, items.length));
  const output = items.map(({ item }) => item);
  const completed = { ...base, status: 'completed', output, usage: written };
  const opened = { ...base, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...items.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: each.opened },
      ...each.events,
      { type: 'response.output_item.done', output_index, item: each.item },
    ]),
    { type: 'response.completed', response: completed },
  ];
  return {
    text: said.text?.join('') ?? '',
    ...(said.thinks && { thoughts: THOUGHT }),
    ...(said.calls && { calls: [CALL] }),
    usage,
    whole: completed,
    stream: events.map((event, sequence_number) => ({ ...event, sequence_number })),
  };
}

function textItem({ delta = {} }: ResponsesAnswers, pieces: readonly string[], output_index: number) {
  const id = 'msg_0a1b2c3d4e5f';
  const part = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });
  const place = { item_id: id, output_index, content_index: 0 };
  const text = pieces.join('');
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [part(text)] };
  const events = [
    { type: 'response.content_part.added', ...place, part: part('') },
    ...pieces.map((piece) => ({ type: 'response.output_text.delta', ...place, delta: piece, logprobs: [], ...delta })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: part(text) },
  ];
  return { item, events, opened: { ...item, status: 'in_progress', content: [] } };
}

function callItem(call_id: string, output_index: number) {
  const id = 'fc_0a1b2c3d4e5f';
  const place = { item_id: id, output_index };
  const item = { id, type: 'function_call', status: 'completed', arguments: ARGUMENTS, call_id, name: CALL.name };
  const events = [
    ...[ARGUMENTS.slice(0, 5), ARGUMENTS.slice(5)].map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...place,
      delta,
    })),
    { type: 'response.function_call_arguments.done', ...place, arguments: ARGUMENTS },
  ];
  return { item, events, opened: { ...item, status: 'in_progress', arguments: '' } };
}
