import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString } from './quote.ts';
import { PROMPT, sdkSetup } from './sdk-setup.ts';

export function geminiSetup(connection: Connection): ClientSetup {
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
  return sdkSetup('gemini', 'Gemini SDK', connection, { javascript, python });
}
