import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from './parse.ts';
import { checkPolicy } from './policy.ts';

const text = (members: object) => ({ role: 'user', content: [{ type: 'text', text: 'a', ...members }] });
const breakpoint = (ttl?: string) => text({ prompt_cache_breakpoint: { mode: 'explicit', ttl } });
const control = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ttl } });
const FUNCTION = { type: 'function', function: { name: 'f' } };
const EXPLICIT = { mode: 'explicit' };

function policyOf(fields: object) {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields };
  const result = runToEnd(parseRequest(Buffer.from(JSON.stringify(body))));
  if (!result.ok) throw new Error(result.error.message);
  const { errors, cacheWrites, cacheLifetime, mixedLifetimes } = checkPolicy(result.parsed);
  expect(errors).toEqual([]);
  return { lifetime: cacheLifetime, priced: cacheWrites, mixed: mixedLifetimes?.path };
}

describe('the lifetime of what a request has cached', () => {
  test.each<[object, string | undefined]>([
    [{}, undefined],
    [{ prompt_cache_options: { mode: 'implicit' } }, 'cache_write_30m'],
    [{ prompt_cache_options: { ttl: '30m' } }, 'cache_write_30m'],
    [{ messages: [breakpoint()] }, 'cache_write_30m'],
    [{ prompt_cache_options: EXPLICIT }, undefined],
    [control(), 'cache_write_5m'],
    [control('5m'), 'cache_write_5m'],
    // Neither needs a price of its own.
    [{ ...control(), prompt_cache_options: {} }, undefined],
  ])('is a usual one: %j', (fields, lifetime) => {
    expect(policyOf(fields)).toEqual({ lifetime, priced: [], mixed: undefined });
  });

  test.each<[object, string, string]>([
    [{ prompt_cache_options: { ttl: '12h' } }, 'cache_write_12h', 'prompt_cache_options.ttl'],
    [
      { prompt_cache_options: EXPLICIT, messages: [breakpoint('12h'), breakpoint('12h')] },
      'cache_write_12h',
      'messages[0].content[0].prompt_cache_breakpoint.ttl',
    ],
    [
      { prompt_cache_options: { ttl: '12h' }, messages: [breakpoint(), breakpoint('12h')] },
      'cache_write_12h',
      'messages[0].content[0].prompt_cache_breakpoint.ttl',
    ],
    [control('1h'), 'cache_write_1h', 'cache_control.ttl'],
    [
      { messages: [{ role: 'user', content: 'a', ...control('1h') }] },
      'cache_write_1h',
      'messages[0].cache_control.ttl',
    ],
    [{ messages: [text(control('1h'))] }, 'cache_write_1h', 'messages[0].content[0].cache_control.ttl'],
    [{ tools: [{ ...FUNCTION, ...control('1h') }] }, 'cache_write_1h', 'tools[0].cache_control.ttl'],
  ])('is a long one, which needs a price: %j', (fields, bucket, path) => {
    expect(policyOf(fields)).toEqual({ lifetime: bucket, priced: [{ bucket, path }], mixed: undefined });
  });

  test.each<[object, string]>([
    [{ messages: [breakpoint('12h')] }, 'messages[0].content[0].prompt_cache_breakpoint.ttl'],
    [
      { prompt_cache_options: EXPLICIT, messages: [breakpoint(), breakpoint('12h')] },
      'messages[1].content[0].prompt_cache_breakpoint.ttl',
    ],
    [{ ...control('1h'), messages: [text(control())] }, 'cache_control.ttl'],
  ])('is not known where there are several: %j', (fields, path) => {
    expect(policyOf(fields)).toMatchObject({ lifetime: undefined, priced: [{ path }], mixed: path });
  });
});
