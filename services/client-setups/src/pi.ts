import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, displayName, keyVariable, providerId } from './connection.ts';
import { exportBlock } from './environment.ts';
import { shellWord } from './quote.ts';

export function piSetup(connection: Connection): ClientSetup {
  const { serviceName, model, contextWindow, maxOutputTokens, inputModalities } = connection;
  const id = providerId(serviceName);
  const config = {
    providers: {
      [id]: {
        name: displayName(serviceName),
        baseUrl: baseUrlOf(connection),
        // The protocol in which pi returns the reasoning of models, with its signatures.
        api: 'anthropic-messages',
        apiKey: `$${keyVariable(serviceName)}`,
        models: [
          {
            id: model,
            input: ['text', ...inputModalities.filter((modality) => modality === 'image')],
            ...(contextWindow !== null && { contextWindow }),
            ...(maxOutputTokens !== null && { maxTokens: maxOutputTokens }),
          },
        ],
      },
    },
  };
  const environment = exportBlock(connection);
  return {
    id: 'pi',
    label: 'pi',
    blocks: [
      {
        title: '~/.pi/agent/models.json',
        language: 'json',
        code: JSON.stringify(config, null, 2),
        file: '~/.pi/agent/models.json',
      },
      { ...environment, code: `${environment.code}\npi --provider ${id} --model ${shellWord(model)}` },
    ],
    note: null,
  };
}
