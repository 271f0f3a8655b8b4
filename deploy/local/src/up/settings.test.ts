import { describe, expect, it } from 'vitest';
import { dataFolder } from './data-folder.ts';
import { readSettings } from './settings.ts';

describe('readSettings', () => {
  it('serves simulated models on port 8080 when nothing is set', () => {
    const { stack, factsFiles } = readSettings({}, '/checkout');
    expect(stack).toMatchObject({ port: 8_080, ingresses: 1, redis: 'any' });
    expect(stack.catalogue).toBe('/checkout/deploy/catalogue/simulated.yaml');
    expect(factsFiles).toEqual(['/checkout/.tollgate/up.json']);
  });

  it('takes an empty variable as unset', () => {
    const empty = { PORT: '', TOLLGATE_DATA: '', TOLLGATE_CATALOGUE: '', OPENAI_API_KEY: '', REDIS_URL: '' };
    expect(readSettings(empty, '/checkout')).toEqual(readSettings({}, '/checkout'));
  });

  it('serves the real provider when its key is set, and the catalogue asked for above all', () => {
    const key = { OPENAI_API_KEY: 'secret' };
    expect(readSettings(key, '/checkout').stack.catalogue).toBe('/checkout/deploy/catalogue/openai.yaml');
    expect(readSettings({ ...key, TOLLGATE_CATALOGUE: '/my.yaml' }, '/checkout').stack.catalogue).toBe('/my.yaml');
  });

  it('writes the facts to the data folder too when one was asked for', () => {
    const { factsFiles } = readSettings({ TOLLGATE_DATA: '/data' }, '/checkout');
    expect(factsFiles).toEqual(['/checkout/.tollgate/up.json', '/data/up.json']);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['TOLLGATE_INGRESSES', '0'],
    ['TOLLGATE_INGRESSES', '1.5'],
  ])('refuses %s=%s by name', (variable, value) => {
    expect(() => readSettings({ [variable]: value }, '/checkout')).toThrow(variable);
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
