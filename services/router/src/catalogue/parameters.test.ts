import { Effort, Parameters, Sampling, ThinkingControl } from '@tollgate/proto/router';
import { describe, expect, test } from 'vitest';
import { compareCatalogues } from './compare.ts';
import { parseCatalogue } from './parse.ts';

const PROVIDER = { id: 'one', protocol: 'anthropic-messages', base_url: 'https://one.example/v1', auth: 'none' };
const MODEL = {
  id: 'small',
  context_window: 1_000,
  max_output_tokens: 100,
  price: { input: 1, output: 2 },
  deployments: [{ provider: 'one' }],
};

function parse(provider: object, model: object = {}) {
  const text = JSON.stringify({
    version: 1,
    providers: [{ ...PROVIDER, ...provider }],
    models: [{ ...MODEL, ...model }],
  });
  return parseCatalogue(text, { lookup: () => undefined });
}

function routesOf(provider: object, model: object = {}) {
  const result = parse(provider, model);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.routes;
}

function problemsOf(provider: object, model: object = {}) {
  const result = parse(provider, model);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
}

describe('parameters', () => {
  test('are those of the deployment, then of its model, then of its provider', () => {
    const routes = routesOf(
      { parameters: { sampling: 'any', max_user_id_length: 256, whitespace_stops: false } },
      {
        parameters: { sampling: 'default_only', efforts: ['low', 'low', 'high'], thinking: { control: 'effort' } },
        deployments: [{ provider: 'one', parameters: { max_user_id_length: 64 } }],
      },
    );
    expect(routes.models[0]?.deployments[0]?.parameters).toMatchObject({
      sampling: Sampling.DEFAULT_ONLY,
      efforts: { values: [Effort.LOW, Effort.HIGH] },
      thinking: { control: ThinkingControl.EFFORT, canDisable: true, minBudgetTokens: undefined },
      maxUserIdLength: 64,
      whitespaceStops: false,
      minOutputTokens: undefined,
    });
  });

  test('say how thinking is switched off', () => {
    const thinking = { control: 'effort', can_disable: false, between_tools: true };
    const routes = routesOf({}, { parameters: { thinking } });
    expect(routes.models[0]?.deployments[0]?.parameters?.thinking).toMatchObject({
      canDisable: false,
      betweenTools: true,
    });
    expect(compareCatalogues(routesOf({}), routes)).toMatchObject([
      { after: 'thinking by effort off by between_tools' },
    ]);
  });

  test('are unknown without the section, and an empty list of efforts is not', () => {
    expect(routesOf({}).models[0]?.deployments[0]?.parameters).toEqual(Parameters.fromPartial({}));
    const routes = routesOf({}, { parameters: { efforts: [] } });
    expect(routes.models[0]?.deployments[0]?.parameters).toMatchObject({ efforts: { values: [] } });
  });

  test.each([
    [{ sampling: 'some' }, 'models[0].parameters.sampling'],
    [{ efforts: ['huge'] }, 'models[0].parameters.efforts[0]'],
    [{ thinking: { control: 'budget', min_budget_tokens: 2_048, max_budget_tokens: 1_024 } }, 'parameters.thinking'],
    [{ thinking: { control: 'effort', between_tools: true } }, 'must have can_disable: false'],
    [{ min_output_tokens: 0 }, 'parameters.min_output_tokens'],
    [{ temperature: 1 }, 'parameters.temperature is an unknown field'],
  ])('rejects %j', (parameters, problem) => {
    expect(problemsOf({}, { parameters })).toEqual([expect.stringContaining(problem)]);
  });

  test('appear in a comparison of catalogues', () => {
    const before = routesOf({});
    const after = routesOf(
      { betas: { policy: 'forward', list: [{ name: 'effort', fields: ['output_config.effort'], accepted: false }] } },
      {
        parameters: {
          sampling: 'default_only',
          efforts: ['low'],
          thinking: { control: 'budget', max_budget_tokens: 9, can_disable: false },
          forced_calls: false,
          unsigned_thinking: true,
          prefill: false,
          tool_search: false,
        },
      },
    );
    expect(compareCatalogues(before, after)).toEqual([
      { modelId: '', field: 'providers.one.betas', before: '', after: 'forward, not effort (output_config.effort)' },
      {
        modelId: 'small',
        field: 'deployments.small@one.parameters',
        before: '',
        after:
          'sampling default_only, efforts [low], thinking by budget to 9 always on, forced_calls false, unsigned_thinking true, prefill false, tool_search false',
      },
    ]);
  });
});

describe('betas', () => {
  test('are accepted, and unlisted ones left out, by default', () => {
    const routes = routesOf({ betas: { list: [{ name: 'context-management', fields: ['context_management'] }] } });
    expect(routes.providers[0]?.betas).toEqual({
      forwardsUnlisted: false,
      list: [{ name: 'context-management', fields: ['context_management'], accepted: true }],
    });
    expect(routesOf({}).providers[0]?.betas).toBeUndefined();
  });

  test('belong to the messages protocol', () => {
    expect(problemsOf({ protocol: 'gemini', betas: {} })).toEqual([expect.stringContaining('providers[0].betas')]);
  });

  test.each(['a.b.c.d.e', 'tools[0].x', 'A', ''])('do not enable the field %j', (field) => {
    expect(problemsOf({ betas: { list: [{ name: 'b', fields: [field] }] } })).toHaveLength(1);
  });
});
