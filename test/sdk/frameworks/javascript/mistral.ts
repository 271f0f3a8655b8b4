import { Mistral } from '@mistralai/mistralai';
import type {
  AssistantMessage,
  ChatCompletionRequest,
  DeltaMessage,
  UsageInfo,
} from '@mistralai/mistralai/models/components';
import { z } from 'zod';
import type { Program, ProgramResult, Prompt } from '../program.ts';
import { runTool, serve } from './serve.ts';

type Messages = ChatCompletionRequest['messages'];

const OBJECT = z.object({ city: z.string(), warm: z.boolean() });
const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    parameters: z.toJSONSchema(z.object({ city: z.string() })),
  },
};

serve(async (program, result) => {
  const client = new Mistral({ apiKey: program.key, serverURL: program.baseUrl });
  const messages: Messages =
    program.instructions === undefined ? [] : [{ role: 'system', content: program.instructions }];
  for (const prompt of program.prompts) {
    messages.push(messageOf(prompt));
    if (program.object) {
      result.object = await objectOf(client, program, messages);
      continue;
    }
    const answer = await answered(client, program, messages, result);
    result.texts.push(typeof answer.content === 'string' ? answer.content : '');
  }
});

/** The response after all calls of the model have been run. */
async function answered(
  client: Mistral,
  program: Program,
  messages: Messages,
  result: ProgramResult,
): Promise<AssistantMessage> {
  let mustCall = program.toolOutput !== undefined && messages.every(({ role }) => role !== 'tool');
  for (;;) {
    const request: ChatCompletionRequest = {
      model: program.model,
      messages,
      randomSeed: 1,
      ...(program.toolOutput !== undefined && { tools: [WEATHER], toolChoice: mustCall ? 'any' : 'auto' }),
      ...(program.reasoning && { reasoningEffort: 'low' }),
    };
    const message = program.stream
      ? await streamed(client, program, request, result)
      : await buffered(client, request, result);
    messages.push({ ...message, role: 'assistant' });
    if (!message.toolCalls?.length) return message;
    for (const { id, function: called } of message.toolCalls) {
      const input = typeof called.arguments === 'string' ? JSON.parse(called.arguments) : called.arguments;
      const content = runTool(program, result, input);
      messages.push({ role: 'tool', content, ...(id !== undefined && { toolCallId: id }), name: called.name });
    }
    mustCall = false;
  }
}

async function buffered(
  client: Mistral,
  request: ChatCompletionRequest,
  result: ProgramResult,
): Promise<AssistantMessage> {
  const { choices, usage } = await client.chat.complete(request);
  result.usage = usageOf(usage);
  return choices[0]?.message ?? {};
}

async function streamed(
  client: Mistral,
  program: Program,
  request: ChatCompletionRequest,
  result: ProgramResult,
): Promise<AssistantMessage> {
  let content = '';
  for await (const { data } of await client.chat.stream(request)) {
    if (data.usage !== undefined) result.usage = usageOf(data.usage);
    const text = textOf(data.choices[0]?.delta);
    if (text === '') continue;
    content += text;
    result.pieces += 1;
    // Leaving the loop cancels the request.
    if (result.pieces === program.abortAfter) break;
  }
  return { content };
}

async function objectOf(client: Mistral, { model, stream }: Program, messages: Messages): Promise<unknown> {
  const request = { model, messages, responseFormat: OBJECT };
  if (!stream) return (await client.chat.parse(request)).choices?.[0]?.message?.parsed;
  let text = '';
  for await (const { data } of await client.chat.parseStream(request)) text += textOf(data.choices[0]?.delta);
  return JSON.parse(text);
}

function textOf(delta: DeltaMessage | undefined): string {
  return typeof delta?.content === 'string' ? delta.content : '';
}

function usageOf({ promptTokens = 0, completionTokens = 0 }: UsageInfo): ProgramResult['usage'] {
  return { input: promptTokens, output: completionTokens };
}

function messageOf({ text, image }: Prompt): Messages[number] {
  if (image === undefined) return { role: 'user', content: text };
  const imageUrl = `data:${image.mediaType};base64,${image.data}`;
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', imageUrl },
    ],
  };
}
