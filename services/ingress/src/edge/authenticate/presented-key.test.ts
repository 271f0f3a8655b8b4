import { describe, expect, it } from 'vitest';
import { presentedKey } from './presented-key.ts';

describe('presentedKey', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
    ['Bearer\tabc', 'abc'],
    ['Bearer', ''],
    ['Bearer ', ''],
    ['bearer a b', 'a b'],
  ])('reads %j as a bearer token', (authorization, text) => {
    expect(presentedKey({ authorization }, false)).toEqual({ kind: 'bearer', text });
  });

  it.each(['Basic YTpi', 'Bearerabc', 'Token abc', '', 'Digest', 'abc'])('ignores %j', (authorization) => {
    expect(presentedKey({ authorization }, true)).toEqual({ kind: 'missing' });
    expect(presentedKey({ authorization, 'x-api-key': 'k' }, true)).toEqual({ kind: 'header', text: 'k' });
  });

  it('uses the first header that counts', () => {
    const all = { authorization: 'Bearer a', 'x-api-key': 'b', 'x-goog-api-key': 'c' };
    expect(presentedKey(all, true)).toEqual({ kind: 'bearer', text: 'a' });
    expect(presentedKey({ ...all, authorization: 'Bearer' }, true)).toEqual({ kind: 'bearer', text: '' });
    expect(presentedKey({ 'x-api-key': 'b', 'x-goog-api-key': 'c' }, true)).toEqual({ kind: 'header', text: 'b' });
    expect(presentedKey({ 'x-api-key': '', 'x-goog-api-key': 'c' }, true)).toEqual({ kind: 'header', text: '' });
  });

  it('takes x-goog-api-key on generative paths only', () => {
    expect(presentedKey({ 'x-goog-api-key': 'c' }, true)).toEqual({ kind: 'header', text: 'c' });
    expect(presentedKey({ 'x-goog-api-key': 'c' }, false)).toEqual({ kind: 'missing' });
    expect(presentedKey({}, true)).toEqual({ kind: 'missing' });
  });
});
