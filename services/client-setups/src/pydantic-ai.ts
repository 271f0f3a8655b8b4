import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { exportBlock } from './environment.ts';
import { PROMPT } from './sdk-setup.ts';

export function pydanticAiSetup(connection: Connection): ClientSetup {
  const code = `import os
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(
    base_url=${JSON.stringify(`${baseUrlOf(connection)}/v1`)},
    api_key=os.environ["${keyVariable(connection.serviceName)}"],
)
agent = Agent(OpenAIResponsesModel(${JSON.stringify(connection.model)}, provider=provider))
print(agent.run_sync("${PROMPT}").output)`;
  return {
    id: 'pydantic-ai',
    label: 'Pydantic AI',
    blocks: [exportBlock(connection), { title: 'Python', language: 'python', code }],
    note: 'Other protocols, reasoning and known limits: docs/clients/pydantic-ai.md',
  };
}
