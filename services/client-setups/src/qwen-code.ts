import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, displayName, keyVariable } from './connection.ts';
import { exportBlock } from './environment.ts';

/** Qwen Code's names of input modalities other than text. */
const MEDIA: Readonly<Record<string, string>> = { image: 'image', file: 'pdf', audio: 'audio' };

/** The tokens that Qwen Code lets a model think, unless told otherwise. */
const THINKING_BUDGET = 32_000;
/** The smallest budget that Anthropic accepts. */
const MIN_THINKING_BUDGET = 1_024;

/** A budget below the output limit, as the messages protocol requires, or no thinking if there is no room for any. */
function thinkingWithin(maxOutputTokens: number): { reasoning?: { budget_tokens: number } | false } {
  if (maxOutputTokens > THINKING_BUDGET) return {};
  const budget = Math.floor(maxOutputTokens / 2);
  return { reasoning: budget < MIN_THINKING_BUDGET ? false : { budget_tokens: budget } };
}

export function qwenCodeSetup(connection: Connection): ClientSetup {
  const { serviceName, model, contextWindow, maxOutputTokens, inputModalities } = connection;
  const media = inputModalities.flatMap((modality) => MEDIA[modality] ?? []);
  const settings = {
    security: { auth: { selectedType: 'anthropic' } },
    model: { name: model },
    modelProviders: {
      // The protocol in which Qwen Code returns the reasoning of models, with its signatures.
      anthropic: [
        {
          id: model,
          name: `${model} (${displayName(serviceName)})`,
          baseUrl: baseUrlOf(connection),
          envKey: keyVariable(serviceName),
          // Qwen Code guesses both from the names of models that it knows.
          generationConfig: {
            ...(contextWindow !== null && { contextWindowSize: contextWindow }),
            modalities: Object.fromEntries(media.map((name) => [name, true])),
            // Its default is its thinking budget, which Claude models reject.
            ...(maxOutputTokens !== null && {
              samplingParams: { max_tokens: maxOutputTokens },
              ...thinkingWithin(maxOutputTokens),
            }),
          },
        },
      ],
    },
  };
  const environment = exportBlock(connection);
  return {
    id: 'qwen-code',
    label: 'Qwen Code',
    blocks: [
      {
        title: '~/.qwen/settings.json',
        language: 'json',
        code: JSON.stringify(settings, null, 2),
        file: '~/.qwen/settings.json',
      },
      { ...environment, code: `${environment.code}\nqwen` },
    ],
    note: null,
  };
}
