import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, type LanguageModel, type ModelMessage, Output, streamText, tool } from 'ai';
import { z } from 'zod';
import type { Program, ProgramResult, Prompt } from '../program.ts';
import { runTool, serve } from './serve.ts';

function modelOf({ way, baseUrl, key, model }: Program): LanguageModel {
  const openai = () => createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key });
  switch (way) {
    case 'openai-chat':
      return openai().chat(model);
    case 'openai-responses':
      return openai().responses(model);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'tollgate',
        baseURL: `${baseUrl}/v1`,
        apiKey: key,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model);
    case 'anthropic':
      return createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: key })(model);
    case 'google':
      return createGoogle({ baseURL: `${baseUrl}/v1beta`, apiKey: key })(model);
    default:
      throw new Error(`the AI SDK has no way ${way}`);
  }
}

/** The models have names of their own, so the AI SDK must be given what it derives from names of providers. */
const REASONING = {
  openai: { reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true },
  tollgate: { reasoningEffort: 'low' },
  anthropic: { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'low' },
  google: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
};

serve(async (program, result) => {
  const messages: ModelMessage[] = [];
  for (const prompt of program.prompts) {
    messages.push({ role: 'user', content: contentOf(prompt) });
    const request = {
      model: modelOf(program),
      messages,
      stopWhen: isStepCount(4),
      maxOutputTokens: 8_000,
      ...(program.instructions !== undefined && { instructions: program.instructions }),
      ...(program.reasoning && { providerOptions: REASONING }),
      ...(program.toolOutput !== undefined && {
        tools: {
          get_weather: tool({
            description: 'Returns the weather of a city.',
            inputSchema: z.object({ city: z.string() }),
            execute: (input) => runTool(program, result, input),
          }),
        },
      }),
      ...(program.object && { output: Output.object({ schema: z.object({ city: z.string(), warm: z.boolean() }) }) }),
    };
    const done = program.stream ? await streamed(program, request, result) : await buffered(program, request, result);
    messages.push(...done);
  }
});

type Request = Parameters<typeof generateText>[0];

async function buffered(program: Program, request: Request, result: ProgramResult): Promise<ModelMessage[]> {
  const done = await generateText(request);
  result.texts.push(done.text);
  result.thoughts += done.steps.map((step) => step.reasoningText ?? '').join('');
  if (program.object) result.object = done.output;
  readUsage(done.finalStep.usage, result);
  return done.responseMessages;
}

async function streamed(program: Program, request: Request, result: ProgramResult): Promise<ModelMessage[]> {
  const aborting = new AbortController();
  const failures: unknown[] = [];
  const stream = streamText({
    ...request,
    abortSignal: aborting.signal,
    onError: ({ error }) => {
      failures.push(error);
    },
  } as Parameters<typeof streamText>[0]);
  let text = '';
  for await (const part of stream.stream) {
    if (part.type === 'start-step') text = '';
    if (part.type === 'reasoning-delta') result.thoughts += part.text;
    if (part.type !== 'text-delta') continue;
    text += part.text;
    result.pieces += 1;
    if (result.pieces === program.abortAfter) aborting.abort();
  }
  result.texts.push(text);
  if (failures.length > 0) throw failures[0];
  if (program.abortAfter !== undefined) return [];
  if (program.object) result.object = await stream.output;
  readUsage((await stream.finalStep).usage, result);
  return await stream.responseMessages;
}

function readUsage(
  usage: { inputTokens: number | undefined; outputTokens: number | undefined },
  result: ProgramResult,
): void {
  result.usage = { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 };
}

function contentOf({ text, image }: Prompt): Extract<ModelMessage, { role: 'user' }>['content'] {
  if (image === undefined) return text;
  return [
    { type: 'text', text },
    { type: 'image', image: image.data, mediaType: image.mediaType },
  ];
}
