import { OutputLimitName, Protocol, ReasoningHistory, ToolCallIds } from '@tollgate/proto/router';
import { describe, expect, test } from 'vitest';
import { DIALECT_NAMES } from '../dialects/index.ts';
import { compareCatalogues } from './compare.ts';
import { parseCatalogue } from './parse.ts';

const CHAT = { id: 'one', protocol: 'openai-chat', base_url: 'https://one.example/v1', auth: 'none' };
const MESSAGES = { ...CHAT, id: 'native', protocol: 'anthropic-messages' };
const MODEL = {
  id: 'small',
  context_window: 1_000,
  max_output_tokens: 100,
  price: { input: 1, output: 2 },
  deployments: [{ provider: 'one' }],
};

function parse(provider: object, model: object = {}) {
  const providers = [{ ...CHAT, ...provider }, MESSAGES];
  const text = JSON.stringify({ version: 1, providers, models: [{ ...MODEL, ...model }] }, undefined, 1);
  return parseCatalogue(text, { lookup: () => undefined });
}

function loaded(provider: object, model: object = {}) {
  const result = parse(provider, model);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

function problemsOf(provider: object, model: object = {}) {
  const result = parse(provider, model);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
}

function parametersOf(provider: object, model: object = {}) {
  return loaded(provider, model).routes.models[0]?.deployments[0]?.parameters;
}

describe('a dialect', () => {
  test('has less precedence than the parameters of provider, model and deployment', () => {
    expect(parametersOf({ dialect: 'mistral' })).toMatchObject({
      outputLimit: OutputLimitName.MAX_TOKENS,
      reasoningHistory: ReasoningHistory.THINKING_PARTS,
      toolCallIds: ToolCallIds.NINE_ALPHANUMERIC,
      developerRole: false,
    });
    const changed = parametersOf(
      { dialect: 'mistral', parameters: { developer_role: true, output_limit: 'max_completion_tokens' } },
      {
        parameters: { reasoning_history: 'none' },
        deployments: [{ provider: 'one', parameters: { tool_call_ids: 'any' } }],
      },
    );
    expect(changed).toMatchObject({
      outputLimit: OutputLimitName.MAX_COMPLETION_TOKENS,
      reasoningHistory: ReasoningHistory.NONE,
      toolCallIds: ToolCallIds.ANY,
      developerRole: true,
    });
  });

  test('is that of the endpoint: chat parameters are not those of a messages endpoint', () => {
    const native = parametersOf({ dialect: 'deepseek', protocol: 'anthropic-messages' });
    expect(native).toMatchObject({ unsignedThinking: true, outputLimit: OutputLimitName.UNSPECIFIED });
  });

  test.each([
    ['deepseek', 'anthropic-messages', false],
    ['xai', 'openai-responses', false],
    ['perplexity', 'openai-responses', false],
    ['openai', 'openai-responses', undefined],
    ['mistral', 'openai-chat', undefined],
  ])('%s at %s has no tool search unless its maker has', (dialect, protocol, expected) => {
    expect(parametersOf({ dialect, protocol })?.toolSearch).toBe(expected);
  });

  test('loads with a warning at its place if it is not known, and has no effect', () => {
    const { routes, warnings } = loaded({ dialect: 'mistrall' });
    expect(warnings).toMatchObject([{ line: 9, column: 15, path: 'providers[0].dialect' }]);
    expect(warnings[0]?.message).toContain('mistrall is an unknown dialect');
    expect(warnings[0]?.message).toContain('openrouter');
    expect(routes).toEqual(loaded({}).routes);
    expect(loaded({ dialect: 'mistral' }).warnings).toEqual([]);
  });

  test.each(DIALECT_NAMES)('%s is made of valid parameters', (dialect) => {
    const changes = compareCatalogues(loaded({}).routes, loaded({ dialect }).routes);
    expect(changes).toMatchObject([{ field: 'deployments.small@one.parameters', before: '' }]);
  });
});

describe('unsupported fields', () => {
  test('add up, except for those that a more specific entry supports', () => {
    const parameters = parametersOf(
      { parameters: { unsupported: ['seed', 'n', 'user'] } },
      {
        parameters: { supported: ['n'], unsupported: ['logit_bias'] },
        deployments: [
          { provider: 'one', parameters: { unsupported: ['tools[].function.strict'], supported: ['user'] } },
        ],
      },
    );
    expect(parameters?.unsupported).toEqual(['seed', 'logit_bias', 'tools[].function.strict']);
  });
});

test('the older form of reasoning_history loads, and the newer one of the same entry applies', () => {
  const historyOf = (parameters: object) => parametersOf({ parameters })?.reasoningHistory;
  expect(historyOf({ reasoning_content: true })).toBe(ReasoningHistory.REASONING_CONTENT);
  expect(historyOf({ reasoning_content: false })).toBe(ReasoningHistory.NONE);
  expect(historyOf({ reasoning_content: true, reasoning_history: 'reasoning' })).toBe(ReasoningHistory.REASONING);
  expect(parametersOf({ dialect: 'groq', parameters: { reasoning_content: false } })?.reasoningHistory).toBe(
    ReasoningHistory.NONE,
  );
});

test('added fields are JSON, and none that the gateway sets', () => {
  expect(parametersOf({ parameters: { added_fields: { reasoning_format: 'parsed' } } })?.addedFields).toBe(
    '{"reasoning_format":"parsed"}',
  );
  expect(problemsOf({ parameters: { added_fields: { max_tokens: 5 } } })).toEqual([
    expect.stringMatching(/^providers\[0\]\.parameters\.added_fields must have none of model, /),
  ]);
});

describe('protocols of deployments', () => {
  const deployments = [{ provider: 'one' }, { provider: 'native', protocols: ['anthropic-messages'] }];

  test('are sent to ingresses, and shown where catalogues are compared', () => {
    const { routes } = loaded({}, { deployments });
    expect(routes.models[0]?.deployments.map(({ clientProtocols }) => clientProtocols)).toEqual([
      [],
      [Protocol.ANTHROPIC_MESSAGES],
    ]);
    const changes = compareCatalogues(
      loaded({}, { deployments: [...deployments].map(withoutProtocols) }).routes,
      routes,
    );
    expect(changes).toEqual([
      { modelId: 'small', field: 'deployments.small@native.protocols', before: '', after: 'anthropic-messages' },
    ]);
  });

  test('together are the protocols of a model that names none', () => {
    const only = loaded({}, { deployments: deployments.slice(1) }).routes.models[0];
    expect(only?.protocols).toEqual([Protocol.ANTHROPIC_MESSAGES]);
    expect(loaded({}, { deployments }).routes.models[0]?.protocols).toHaveLength(4);
  });

  test('are refused where they do not fit those of the model', () => {
    expect(problemsOf({}, { protocols: ['gemini', 'openai-chat'], deployments: deployments.slice(1) })).toEqual([
      expect.stringMatching(/^models\[0\]\.deployments\[0\]\.protocols has anthropic-messages, which is not one of/),
      expect.stringMatching(/^models\[0\]\.protocols\[0\] gemini is served by no deployment/),
      expect.stringMatching(/^models\[0\]\.protocols\[1\] openai-chat is served by no deployment/),
    ]);
  });
});

function withoutProtocols({ provider }: { provider: string }) {
  return { provider };
}
