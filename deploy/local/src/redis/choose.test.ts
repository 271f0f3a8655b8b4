import { describe, expect, it } from 'vitest';
import { chooseRedis } from './choose.ts';

const none = () => undefined;
const some = () => '/usr/bin/redis-server';

describe('chooseRedis', () => {
  it('prefers a URL, then a redis-server, then the stand-in', () => {
    expect(chooseRedis('redis://host:1', 1, some)).toEqual({ kind: 'url', url: 'redis://host:1' });
    expect(chooseRedis('any', 1, some)).toEqual({ kind: 'program', path: '/usr/bin/redis-server' });
    expect(chooseRedis('any', 1, none)).toEqual({ kind: 'stand-in' });
    expect(chooseRedis('stand-in', 1, some)).toEqual({ kind: 'stand-in' });
  });

  it('rejects the stand-in for several ingresses and says what to do', () => {
    expect(() => chooseRedis('any', 2, none)).toThrow(/REDIS_URL.*TOLLGATE_INGRESSES/);
    expect(() => chooseRedis('stand-in', 2, some)).toThrow(/real Redis/);
  });

  it('rejects other schemes', () => {
    expect(() => chooseRedis('real', 1, none)).toThrow(/redis-server/);
    expect(() => chooseRedis('http://host', 1, some)).toThrow(/REDIS_URL/);
  });
});
