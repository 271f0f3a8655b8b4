import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, displayName, keyVariable, providerId } from './connection.ts';
import { exportBlock } from './environment.ts';

/** opencode's names of input modalities other than text. */
const MEDIA: Readonly<Record<string, string[]>> = { image: ['image'], file: ['pdf'], audio: ['audio'] };

export function opencodeSetup(connection: Connection): ClientSetup {
  const { serviceName, model, contextWindow, maxOutputTokens, inputModalities } = connection;
  const id = providerId(serviceName);
  const sizes =
    contextWindow === null || maxOutputTokens === null
      ? {}
      : { limit: { context: contextWindow, output: maxOutputTokens } };
  const media = inputModalities.flatMap((modality) => MEDIA[modality] ?? []);
  // Without them, opencode sends no images and no documents.
  const modalities =
    media.length === 0 ? {} : { attachment: true, modalities: { input: ['text', ...media], output: ['text'] } };
  const config = {
    $schema: 'https://opencode.ai/config.json',
    provider: {
      [id]: {
        // The protocol in which opencode returns the reasoning of models, with its signatures.
        npm: '@ai-sdk/anthropic',
        name: displayName(serviceName),
        options: { baseURL: `${baseUrlOf(connection)}/v1`, apiKey: `{env:${keyVariable(serviceName)}}` },
        models: { [model]: { ...sizes, ...modalities } },
      },
    },
    model: `${id}/${model}`,
  };
  const environment = exportBlock(connection);
  return {
    id: 'opencode',
    label: 'opencode',
    blocks: [
      {
        title: 'opencode.json, or ~/.config/opencode/opencode.json',
        language: 'json',
        code: JSON.stringify(config, null, 2),
        file: '~/.config/opencode/opencode.json',
      },
      { ...environment, code: `${environment.code}\nopencode` },
    ],
    note: null,
  };
}
