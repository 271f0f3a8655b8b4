import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

/** A client of one protocol in a conversation in which the model thinks and calls a tool. */
export interface ToolLoop {
  readonly protocol: string;
  /** Returns the trace ids of its calls, and the text of the last response. */
  readonly run: (access: Access, model: string) => Promise<Finished>;
}

export interface Access {
  readonly baseUrl: string;
  readonly key: string;
}

export interface Finished {
  readonly requestIds: readonly string[];
  readonly traceIds: readonly string[];
  readonly text: string;
}

export const THOUGHT = 'The file says it, so I read it first.';
const SCRIPT = [{ reasoning: THOUGHT, tool_calls: [{ name: 'read', arguments: '{}' }] }, { text: 'It says hello.' }];
const ASKED = `What does it say? [simulate ${JSON.stringify({ script: SCRIPT })}]`;
const RULES = 'Be brief.';
const RESULT = 'hello';
const TOOL = { name: 'read', description: 'Reads the file.' };
const SCHEMA = { type: 'object' as const, properties: {} };
const LIMIT = 4_000;

/** Collects the ids of responses. */
class Calls {
  readonly requestIds: string[] = [];
  readonly traceIds: string[] = [];

  add(headers: Headers): void {
    this.requestIds.push(String(headers.get('x-request-id')));
    this.traceIds.push(String(headers.get('x-trace-id')).replaceAll('-', ''));
  }

  with(text: string): Finished {
    return { requestIds: this.requestIds, traceIds: this.traceIds, text };
  }
}

/** With what OpenAI's own clients send: a developer, the newer limit, an effort, ids of users. */
async function chat({ baseUrl, key }: Access, model: string): Promise<Finished> {
  const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 });
  const calls = new Calls();
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'developer', content: RULES },
    { role: 'user', content: ASKED },
  ];
  for (;;) {
    const { data, response } = await client.chat.completions
      .create({
        model,
        messages,
        max_completion_tokens: LIMIT,
        reasoning_effort: 'low',
        temperature: 0.5,
        seed: 7,
        user: 'someone',
        parallel_tool_calls: true,
        tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }],
      })
      .withResponse();
    calls.add(response.headers);
    const message = data.choices[0]?.message;
    if (message?.tool_calls === undefined) return calls.with(message?.content ?? '');
    messages.push(message);
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: RESULT });
  }
}

async function responses({ baseUrl, key }: Access, model: string): Promise<Finished> {
  const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 });
  const calls = new Calls();
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: ASKED }];
  for (;;) {
    const { data, response } = await client.responses
      .create({
        model,
        instructions: RULES,
        input,
        store: false,
        max_output_tokens: LIMIT,
        reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        tools: [{ type: 'function', ...TOOL, parameters: SCHEMA, strict: false }],
      })
      .withResponse();
    calls.add(response.headers);
    const made = data.output.filter((item) => item.type === 'function_call');
    if (made.length === 0) return calls.with(data.output_text);
    for (const item of data.output) {
      if (item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call') input.push(item);
    }
    for (const { call_id } of made) input.push({ type: 'function_call_output', call_id, output: RESULT });
  }
}

async function messages({ baseUrl, key }: Access, model: string): Promise<Finished> {
  const client = new Anthropic({ apiKey: key, baseURL: baseUrl, maxRetries: 0 });
  const calls = new Calls();
  const turns: Anthropic.MessageParam[] = [{ role: 'user', content: ASKED }];
  for (;;) {
    const { data, response } = await client.messages
      .create({
        model,
        system: RULES,
        messages: turns,
        max_tokens: LIMIT,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        tools: [{ ...TOOL, input_schema: SCHEMA }],
      })
      .withResponse();
    calls.add(response.headers);
    const made = data.content.filter((block) => block.type === 'tool_use');
    if (made.length === 0)
      return calls.with(data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
    turns.push({ role: 'assistant', content: data.content });
    turns.push({
      role: 'user',
      content: made.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT })),
    });
  }
}

async function gemini({ baseUrl, key }: Access, model: string): Promise<Finished> {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } });
  const calls = new Calls();
  const contents: Content[] = [{ role: 'user', parts: [{ text: ASKED }] }];
  for (;;) {
    const response = await client.models.generateContent({
      model,
      contents,
      config: {
        systemInstruction: RULES,
        maxOutputTokens: LIMIT,
        thinkingConfig: { includeThoughts: true },
        tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }],
      },
    });
    calls.add(new Headers(response.sdkHttpResponse?.headers));
    const made = response.functionCalls ?? [];
    const content = response.candidates?.[0]?.content;
    if (made.length === 0 || content === undefined) return calls.with(response.text ?? '');
    contents.push(content);
    contents.push({
      role: 'user',
      parts: made.map(({ id, name }) => ({
        functionResponse: { ...(id !== undefined && { id }), name: name ?? '', response: { output: RESULT } },
      })),
    });
  }
}

export const TOOL_LOOPS: readonly ToolLoop[] = [
  { protocol: 'openai-chat', run: chat },
  { protocol: 'openai-responses', run: responses },
  { protocol: 'anthropic-messages', run: messages },
  { protocol: 'gemini', run: gemini },
];
