import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable, providerId } from './connection.ts';
import { exportBlock } from './environment.ts';
import { javascriptString } from './quote.ts';
import { PROMPT } from './sdk-setup.ts';

export function aiSdkSetup(connection: Connection): ClientSetup {
  const name = javascriptString(providerId(connection.serviceName));
  const code = `import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const gateway = createOpenAI({
  name: ${name},
  baseURL: ${javascriptString(`${baseUrlOf(connection)}/v1`)},
  apiKey: process.env.${keyVariable(connection.serviceName)},
});
const { text } = await generateText({
  model: gateway.responses(${javascriptString(connection.model)}),
  prompt: '${PROMPT}',
});
console.log(text);`;
  return {
    id: 'ai-sdk',
    label: 'AI SDK',
    blocks: [exportBlock(connection), { title: 'JavaScript', language: 'javascript', code }],
    note: 'Other protocols, reasoning and known limits: docs/clients/ai-sdk.md',
  };
}
