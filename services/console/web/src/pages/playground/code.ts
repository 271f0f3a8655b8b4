import type { Block } from '@tollgate/client-setups/client-setup';
import { type Connection, keyVariable } from '@tollgate/client-setups/connection';
import { javascriptString, pythonValue, shellWord } from '@tollgate/client-setups/quote';
import type { PlaygroundRequest } from './draft.ts';

/** The same call for use outside of the console, through the Chat Completions API. */
export function codeOf(request: PlaygroundRequest, gateway: Pick<Connection, 'baseUrl' | 'serviceName'>): Block[] {
  const body = chatBody(request);
  const url = `${gateway.baseUrl.replace(/\/+$/, '')}/v1`;
  const variable = keyVariable(gateway.serviceName);
  const curl = [
    `curl -sS -N ${shellWord(`${url}/chat/completions`)} \\`,
    `  -H "authorization: Bearer $${variable}" -H 'content-type: application/json' \\`,
    `  -d ${shellWord(JSON.stringify(body, null, 2))}`,
  ].join('\n');
  const javascript = `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${javascriptString(url)}, apiKey: process.env.${variable} });
const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}`;
  const named = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, '    ')},\n`);
  const python = `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])
stream = client.chat.completions.create(
${named.join('')})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`;
  return [
    { title: 'curl', language: 'shell', code: curl },
    { title: 'JavaScript', language: 'javascript', code: javascript },
    { title: 'Python', language: 'python', code: python },
  ];
}

/** The request in the form of the Chat Completions API. */
function chatBody(request: PlaygroundRequest): Record<string, unknown> {
  const system = request.system === undefined ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    messages: [...system, ...request.messages],
    ...(request.tools === undefined ? {} : { tools: request.tools }),
    ...(request.max_output_tokens === undefined ? {} : { max_completion_tokens: request.max_output_tokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    stream: true,
  };
}
