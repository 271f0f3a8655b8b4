import { describe, expect, it } from 'vitest';
import { CHECKOUT } from '../stack/services.ts';
import { dataFolder } from './data-folder.ts';
import { readSettings } from './settings.ts';

describe('readSettings', () => {
  it('serves simulated models on port 8080 when nothing is set', () => {
    const { stack, catalogues, factsFiles } = readSettings({}, CHECKOUT);
    expect(stack).toMatchObject({ port: 8_080, ingresses: 1, redis: 'any' });
    expect(catalogues).toEqual([`${CHECKOUT}deploy/catalogue/simulated.yaml`]);
    expect(factsFiles).toEqual([`${CHECKOUT}.tollgate/up.json`]);
  });

  it('treats an empty variable as unset', () => {
    const empty = { PORT: '', TOLLGATE_DATA: '', TOLLGATE_CATALOGUE: '', GEMINI_API_KEY: '', REDIS_URL: '' };
    expect(readSettings(empty, CHECKOUT)).toEqual(readSettings({}, CHECKOUT));
  });

  it.each([
    [['OPENAI_API_KEY'], ['openai']],
    [['ANTHROPIC_API_KEY'], ['anthropic']],
    [['GEMINI_API_KEY'], ['gemini']],
    [
      ['GEMINI_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
      ['anthropic', 'gemini', 'openai'],
    ],
    [['GROQ_API_KEY'], ['groq']],
    [
      ['ZAI_API_KEY', 'DASHSCOPE_API_KEY', 'OPENROUTER_API_KEY'],
      ['openrouter', 'qwen', 'zhipu'],
    ],
  ])('serves the real providers whose keys are set: %j', (variables, names) => {
    const env = Object.fromEntries(variables.map((variable) => [variable, 'secret']));
    expect(readSettings(env, CHECKOUT).catalogues).toEqual(
      names.map((name) => `${CHECKOUT}deploy/catalogue/${name}.yaml`),
    );
  });

  it('prefers the configured catalogue', () => {
    const env = { OPENAI_API_KEY: 'secret', TOLLGATE_CATALOGUE: '/my.yaml' };
    expect(readSettings(env, CHECKOUT).catalogues).toEqual(['/my.yaml']);
  });

  it('uses Stripe with both of its secrets, at a port that is known, and otherwise a stand-in', () => {
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    expect(readSettings({}, CHECKOUT).stack.payments).toEqual({});
    expect(readSettings(keys, CHECKOUT).stack.payments).toEqual({ port: 8_060 });
    expect(readSettings({ ...keys, PAYMENTS_PORT: '9060' }, CHECKOUT).stack.payments).toEqual({ port: 9_060 });
    expect(() => readSettings({ ...keys, STRIPE_WEBHOOK_SECRET: '' }, CHECKOUT)).toThrow('STRIPE_WEBHOOK_SECRET');
  });

  it('also writes the facts to a configured data folder', () => {
    const { factsFiles } = readSettings({ TOLLGATE_DATA: '/data' }, CHECKOUT);
    expect(factsFiles).toEqual([`${CHECKOUT}.tollgate/up.json`, '/data/up.json']);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['TOLLGATE_INGRESSES', '0'],
    ['TOLLGATE_INGRESSES', '1.5'],
  ])('refuses %s=%s by name', (variable, value) => {
    expect(() => readSettings({ [variable]: value }, CHECKOUT)).toThrow(variable);
  });
});

describe('dataFolder', () => {
  it('is the checkout for a user, and outside of it for root, apart for each checkout', () => {
    expect(dataFolder(undefined, '/checkout', false)).toBe('/checkout/.tollgate');
    const ofRoot = dataFolder(undefined, '/root/one', true);
    expect(ofRoot).toMatch(/^\/var\/lib\/tollgate\/[0-9a-f]{12}$/);
    expect(dataFolder(undefined, '/root/two', true)).not.toBe(ofRoot);
    expect(dataFolder('/data', '/root/one', true)).toBe('/data');
  });
});
