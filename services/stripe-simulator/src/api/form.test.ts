import { describe, expect, it } from 'vitest';
import { StripeFailure } from './failure.ts';
import { parseForm } from './form.ts';

describe('a form', () => {
  it('holds groups and lists in brackets', () => {
    expect(parseForm('a=1&b[c][0][d]=2&b[c][1][d]=3%26&e[]=x&e[]=y&f[1]=z')).toEqual({
      a: '1',
      b: { c: [{ d: '2' }, { d: '3&' }] },
      e: ['x', 'y'],
      f: { '1': 'z' },
    });
  });

  it.each(['a[b', 'a]=1', '[a]=1', 'a=1&a[b]=2', 'a[b]=1&a=2', `a${'[b]'.repeat(20)}=1`])('refuses %s', (text) => {
    expect(() => parseForm(text)).toThrow(StripeFailure);
  });
});
