import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString } from './quote.ts';
import { PROMPT, sdkSetup } from './sdk-setup.ts';

export function langchainSetup(connection: Connection): ClientSetup {
  const variable = keyVariable(connection.serviceName);
  const url = `${baseUrlOf(connection)}/v1`;
  const javascript = `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${javascriptString(connection.model)},
  apiKey: process.env.${variable},
  configuration: { baseURL: ${javascriptString(url)} },
  useResponsesApi: true,
  zdrEnabled: true,
});
const message = await model.invoke('${PROMPT}');
console.log(message.text);`;
  const python = `import os
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${JSON.stringify(connection.model)},
    api_key=os.environ["${variable}"],
    base_url=${JSON.stringify(url)},
    use_responses_api=True,
    store=False,
)
print(model.invoke("${PROMPT}").text)`;
  const note = 'Other protocols, reasoning and known limits: docs/clients/langchain.md';
  return { ...sdkSetup('langchain', 'LangChain', connection, { javascript, python }), note };
}
