import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString } from './quote.ts';
import { PROMPT, sdkSetup } from './sdk-setup.ts';

export function openaiSetup(connection: Connection): ClientSetup {
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
  return sdkSetup('openai', 'OpenAI SDK', connection, { javascript, python });
}
