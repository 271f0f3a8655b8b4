import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import type { Program, ProgramResult, Prompt } from '../program.ts';
import { runTool, serve } from './serve.ts';

function modelOf({ way, baseUrl, key, model, reasoning }: Program): BaseChatModel {
  switch (way) {
    case 'openai-chat':
      return new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${baseUrl}/v1` },
        ...(reasoning && { modelKwargs: { reasoning_effort: 'low' } }),
      });
    case 'openai-responses':
      return new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${baseUrl}/v1` },
        useResponsesApi: true,
        // Nothing is stored at the provider: LangChain then sends encrypted reasoning instead of ids.
        zdrEnabled: true,
        // LangChain sends its own field `reasoning` only for models with OpenAI's names.
        ...(reasoning && {
          modelKwargs: {
            reasoning: { effort: 'low', summary: 'auto' },
            include: ['reasoning.encrypted_content'],
          },
        }),
      });
    case 'anthropic':
      return new ChatAnthropic({
        model,
        apiKey: key,
        anthropicApiUrl: baseUrl,
        maxTokens: 8_000,
        ...(reasoning && { thinking: { type: 'enabled', budget_tokens: 2_048, display: 'summarized' } }),
      });
    case 'google':
      return new ChatGoogleGenerativeAI({
        model,
        apiKey: key,
        baseUrl,
        ...(reasoning && { thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true } }),
      });
    default:
      throw new Error(`LangChain has no way ${way}`);
  }
}

const OBJECT = z.object({ city: z.string(), warm: z.boolean() });

serve(async (program, result) => {
  const model = modelOf(program);
  if (program.object) {
    const structured = model.withStructuredOutput(OBJECT);
    const messages = program.prompts.map(messageOf);
    if (!program.stream) result.object = await structured.invoke(messages);
    else for await (const partial of await structured.stream(messages)) result.object = partial;
    return;
  }
  const weather = tool((input) => runTool(program, result, input), {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    schema: z.object({ city: z.string() }),
  });
  const messages: BaseMessage[] = program.instructions === undefined ? [] : [new SystemMessage(program.instructions)];
  const bound = program.toolOutput === undefined ? model : (model.bindTools?.([weather]) ?? model);
  for (const prompt of program.prompts) {
    messages.push(messageOf(prompt));
    for (let step = 0; step < 4; step += 1) {
      const message = await call(bound as BaseChatModel, messages, program, result);
      messages.push(message);
      readMessage(message, result);
      if (!message.tool_calls?.length) {
        result.texts.push(message.text);
        break;
      }
      for (const asked of message.tool_calls) {
        const output: unknown = await weather.invoke(asked as Parameters<typeof weather.invoke>[0]);
        if (!(output instanceof ToolMessage)) throw new Error('a tool returned no message');
        messages.push(output);
      }
    }
  }
});

async function call(
  model: BaseChatModel,
  messages: BaseMessage[],
  program: Program,
  result: ProgramResult,
): Promise<AIMessageChunk> {
  if (!program.stream) return await model.invoke(messages);
  const aborting = new AbortController();
  let whole: AIMessageChunk | undefined;
  try {
    for await (const chunk of await model.stream(messages, { signal: aborting.signal })) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
      if (chunk.text !== '') result.pieces += 1;
      if (result.pieces === program.abortAfter) aborting.abort();
    }
  } catch (error) {
    // LangChain reports an abort as an error of its own.
    if (!aborting.signal.aborted) throw error;
  }
  return whole ?? new AIMessageChunk('');
}

function readMessage(message: AIMessageChunk, result: ProgramResult): void {
  for (const block of message.contentBlocks) {
    if (block.type === 'reasoning') result.thoughts += block.reasoning;
    // Its package for Google leaves the provider's own block in a buffered message.
    if (String(block.type) === 'thinking') result.thoughts += String(block['thinking']);
  }
  const usage = message.usage_metadata as UsageMetadata | undefined;
  if (usage !== undefined) result.usage = { input: usage.input_tokens, output: usage.output_tokens };
}

function messageOf({ text, image }: Prompt): HumanMessage {
  if (image === undefined) return new HumanMessage(text);
  return new HumanMessage({
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: `data:${image.mediaType};base64,${image.data}` } },
    ],
  });
}
