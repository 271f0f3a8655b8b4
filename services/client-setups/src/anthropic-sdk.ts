import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString } from './quote.ts';
import { PROMPT, sdkSetup } from './sdk-setup.ts';

export function anthropicSetup(connection: Connection): ClientSetup {
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
  return sdkSetup('anthropic', 'Anthropic SDK', connection, { javascript, python });
}
