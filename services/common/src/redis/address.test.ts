import { expect, it } from 'vitest';
import { readRedisAddress } from './address.ts';

const noLogin = { username: undefined, password: undefined };

it.each(['redis://localhost:6379', 'rediss://user:pass@redis.example/2', 'redis://h?cluster=false'])(
  'reads %s as one server',
  (url) => {
    expect(readRedisAddress(url)).toEqual({ kind: 'server', url });
  },
);

it('reads several nodes, or one that says so, as a cluster', () => {
  expect(readRedisAddress('redis://a:7000, redis://[::1]')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'a', port: 7_000 },
      { host: '::1', port: 6_379 },
    ],
    tls: false,
    ...noLogin,
  });
  expect(readRedisAddress('rediss://me:p%40ss@a?cluster=true')).toEqual({
    kind: 'cluster',
    nodes: [{ host: 'a', port: 6_379 }],
    tls: true,
    username: 'me',
    password: 'p@ss',
  });
});

it('reads Sentinels with the name of what they watch', () => {
  expect(readRedisAddress('redis+sentinel://a:5000,b/main')).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'a', port: 5_000 },
      { host: 'b', port: 26_379 },
    ],
    master: 'main',
    database: 0,
    tls: false,
    sentinelPassword: undefined,
    ...noLogin,
  });
  expect(readRedisAddress('rediss+sentinel://me:p%40ss@a/main?db=3&sentinelPassword=other')).toMatchObject({
    database: 3,
    tls: true,
    username: 'me',
    password: 'p@ss',
    sentinelPassword: 'other',
  });
});

it.each([
  '',
  'localhost:6379',
  'http://secret@localhost',
  'redis://a,http://secret',
  'redis+sentinel://a:5000,b:5000',
  'redis+sentinel://secret@/main',
  'redis+sentinel://a/main?db=secret',
])('refuses %j without quoting it', (setting) => {
  expect(() => readRedisAddress(setting)).toThrow(/^(?!.*secret).*REDIS_URL/);
});
