import { describe, expect, it } from 'vitest';
import { expandBaseUrl } from './base-url.ts';

const variables: Record<string, string> = {
  HOST: 'api.example.com',
  URL: 'http://127.0.0.1:8090/',
  OPENAI_API_KEY: 'x',
};
const expand = (template: string) => expandBaseUrl(template, (name) => variables[name]);

describe('expandBaseUrl', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the catalogue's own form of a variable
    ['https://${HOST}/v1', 'https://api.example.com/v1'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the catalogue's own form of a variable
    ['${URL}', 'http://127.0.0.1:8090'],
  ])('makes of %s %s', (template, url) => {
    expect(expand(template)).toEqual({ ok: true, url });
  });

  it.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the catalogue's own form of a variable
    ['${MISSING}/v1', 'MISSING is not set'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the catalogue's own form of a variable
    ['https://x/${OPENAI_API_KEY}', 'names a credential'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the catalogue's own form of a variable
    ['https://${a b}', 'not the name of a variable'],
    ['ftp://x', 'http or https'],
    ['api.example.com', 'http or https'],
    ['https://user:pass@x', 'credentials'],
    ['https://x/v1?key=1', 'no query'],
  ])('refuses %s', (template, message) => {
    expect(expand(template)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});
