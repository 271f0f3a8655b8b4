import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString, shellWord } from './quote.ts';
import type { Block, Snippet } from './snippets.ts';

const PROMPT = 'Hello';

/** Sets the environment variable that the other blocks read, so that the key is in no source file. */
export function exportBlock({ serviceName, secret }: Connection): Block {
  const value = secret === null ? '…' : shellWord(secret);
  return { title: 'Environment', language: 'shell', code: `export ${keyVariable(serviceName)}=${value}` };
}

export function curlSnippet(connection: Connection): Snippet {
  const key = connection.secret ?? `$${keyVariable(connection.serviceName)}`;
  const body = JSON.stringify({ model: connection.model, messages: [{ role: 'user', content: PROMPT }] });
  const code = [
    `curl -sS ${shellWord(`${baseUrlOf(connection)}/v1/chat/completions`)} \\`,
    `  -H "authorization: Bearer ${key}" -H 'content-type: application/json' \\`,
    `  -d ${shellWord(body)}`,
  ].join('\n');
  return { id: 'curl', label: 'curl', blocks: [{ title: 'Command', language: 'shell', code }], note: null };
}

export function openaiSnippet(connection: Connection): Snippet {
  const variable = keyVariable(connection.serviceName);
  const url = `${baseUrlOf(connection)}/v1`;
  const javascript = `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${javascriptString(url)},
  apiKey: process.env.${variable},
});
const completion = await client.chat.completions.create({
  model: ${javascriptString(connection.model)},
  messages: [{ role: 'user', content: '${PROMPT}' }],
});
console.log(completion.choices[0].message.content);`;
  const python = `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])
completion = client.chat.completions.create(
    model=${JSON.stringify(connection.model)},
    messages=[{"role": "user", "content": "${PROMPT}"}],
)
print(completion.choices[0].message.content)`;
  return sdkSnippet('openai', 'OpenAI SDK', connection, { javascript, python });
}

export function anthropicSnippet(connection: Connection): Snippet {
  const variable = keyVariable(connection.serviceName);
  const url = baseUrlOf(connection);
  const javascript = `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${javascriptString(url)},
  apiKey: process.env.${variable},
});
const message = await client.messages.create({
  model: ${javascriptString(connection.model)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: '${PROMPT}' }],
});
console.log(message.content);`;
  const python = `import os
from anthropic import Anthropic

client = Anthropic(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])
message = client.messages.create(
    model=${JSON.stringify(connection.model)},
    max_tokens=1000,
    messages=[{"role": "user", "content": "${PROMPT}"}],
)
print(message.content)`;
  return sdkSnippet('anthropic', 'Anthropic SDK', connection, { javascript, python });
}

export function geminiSnippet(connection: Connection): Snippet {
  const variable = keyVariable(connection.serviceName);
  const url = baseUrlOf(connection);
  const javascript = `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.${variable},
  httpOptions: { baseUrl: ${javascriptString(url)} },
});
const response = await client.models.generateContent({
  model: ${javascriptString(connection.model)},
  contents: '${PROMPT}',
});
console.log(response.text);`;
  const python = `import os
from google import genai

client = genai.Client(
    api_key=os.environ["${variable}"],
    http_options={"base_url": ${JSON.stringify(url)}},
)
response = client.models.generate_content(model=${JSON.stringify(connection.model)}, contents="${PROMPT}")
print(response.text)`;
  return sdkSnippet('gemini', 'Gemini SDK', connection, { javascript, python });
}

function sdkSnippet(
  id: string,
  label: string,
  connection: Connection,
  code: { javascript: string; python: string },
): Snippet {
  return {
    id,
    label,
    blocks: [
      exportBlock(connection),
      { title: 'JavaScript', language: 'javascript', code: code.javascript },
      { title: 'Python', language: 'python', code: code.python },
    ],
    note: null,
  };
}
