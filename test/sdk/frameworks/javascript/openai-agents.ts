import { Agent, type AgentInputItem, type ModelSettings, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import type { Program, ProgramResult, Prompt } from '../program.ts';
import { runTool, serve } from './serve.ts';

const REASONING: ModelSettings = {
  reasoning: { effort: 'low', summary: 'auto' },
  // Nothing is stored at the provider, so reasoning comes back encrypted.
  providerData: { include: ['reasoning.encrypted_content'] },
};

serve(async (program, result) => {
  const { way, baseUrl, key, model } = program;
  const modelProvider = new OpenAIProvider({
    apiKey: key,
    baseURL: `${baseUrl}/v1`,
    useResponses: way === 'openai-responses',
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const modelSettings: ModelSettings = { store: false };
  if (program.reasoning)
    Object.assign(modelSettings, way === 'openai-responses' ? REASONING : { reasoning: { effort: 'low' } });
  const agent = new Agent({
    name: 'Assistant',
    model,
    modelSettings,
    ...(program.instructions !== undefined && { instructions: program.instructions }),
    ...(program.toolOutput !== undefined && {
      tools: [
        tool({
          name: 'get_weather',
          description: 'Returns the weather of a city.',
          parameters: z.object({ city: z.string() }),
          execute: (input) => runTool(program, result, input),
        }),
      ],
    }),
    ...(program.object && { outputType: z.object({ city: z.string(), warm: z.boolean() }) }),
  }) as unknown as Agent;
  let history: AgentInputItem[] = [];
  for (const prompt of program.prompts) {
    const input = [...history, itemOf(prompt)];
    history = program.stream
      ? await streamed(runner, agent, input, program, result)
      : await buffered(runner, agent, input, program, result);
  }
});

async function buffered(
  runner: Runner,
  agent: Agent,
  input: AgentInputItem[],
  program: Program,
  result: ProgramResult,
): Promise<AgentInputItem[]> {
  const done = await runner.run(agent, input);
  readEnd(done, program, result);
  return done.history;
}

async function streamed(
  runner: Runner,
  agent: Agent,
  input: AgentInputItem[],
  program: Program,
  result: ProgramResult,
): Promise<AgentInputItem[]> {
  const aborting = new AbortController();
  const stream = await runner.run(agent, input, { stream: true, signal: aborting.signal });
  for await (const _text of stream.toTextStream()) {
    result.pieces += 1;
    if (result.pieces === program.abortAfter) aborting.abort();
  }
  if (program.abortAfter !== undefined) return [];
  await stream.completed;
  readEnd(stream, program, result);
  return stream.history;
}

type Done = Pick<Awaited<ReturnType<Runner['run']>>, 'finalOutput' | 'rawResponses' | 'newItems'>;

function readEnd(done: Done, program: Program, result: ProgramResult): void {
  if (program.object) result.object = done.finalOutput;
  else result.texts.push(String(done.finalOutput));
  for (const item of done.newItems) {
    if (item.type !== 'reasoning_item') continue;
    const { content, rawContent } = item.rawItem;
    for (const part of [...content, ...(rawContent ?? [])]) result.thoughts += part.text;
  }
  const usage = done.rawResponses.at(-1)?.usage;
  if (usage !== undefined) result.usage = { input: usage.inputTokens, output: usage.outputTokens };
}

function itemOf({ text, image }: Prompt): AgentInputItem {
  if (image === undefined) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image: `data:${image.mediaType};base64,${image.data}` },
    ],
  };
}
