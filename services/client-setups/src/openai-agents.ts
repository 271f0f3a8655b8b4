import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { javascriptString } from './quote.ts';
import { PROMPT, sdkSetup } from './sdk-setup.ts';

export function openaiAgentsSetup(connection: Connection): ClientSetup {
  const variable = keyVariable(connection.serviceName);
  const url = `${baseUrlOf(connection)}/v1`;
  const javascript = `import { Agent, OpenAIProvider, Runner } from '@openai/agents';

const modelProvider = new OpenAIProvider({
  baseURL: ${javascriptString(url)},
  apiKey: process.env.${variable},
});
// Traces would be sent to OpenAI.
const runner = new Runner({ modelProvider, tracingDisabled: true });
const agent = new Agent({
  name: 'Assistant',
  model: ${javascriptString(connection.model)},
  modelSettings: { store: false },
});
const result = await runner.run(agent, '${PROMPT}');
console.log(result.finalOutput);`;
  const python = `import os
from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner

provider = OpenAIProvider(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])
# Traces would be sent to OpenAI.
config = RunConfig(model_provider=provider, tracing_disabled=True)
agent = Agent(name="Assistant", model=${JSON.stringify(connection.model)}, model_settings=ModelSettings(store=False))
print(Runner.run_sync(agent, "${PROMPT}", run_config=config).final_output)`;
  const note = 'Chat completions, reasoning and known limits: docs/clients/openai-agents.md';
  return { ...sdkSetup('openai-agents', 'OpenAI Agents', connection, { javascript, python }), note };
}
