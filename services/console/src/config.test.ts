import { ConfigError } from '@tollgate/common/config';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const GOOD = {
  ...ACTOR_SETTINGS,
  DATABASE_URL: 'postgres://localhost/tollgate',
  CONSOLE_URL: 'https://console.example',
  BASE_URL: 'https://api.example',
  AUTH_ADDRESS: 'auth:50051',
  LEDGER_ADDRESS: 'ledger:50051',
  ROUTER_ADDRESS: 'router:50051',
};
const OIDC = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'tollgate' };

/** The lines of the message with which the console does not start. */
function faultsWith(settings: Record<string, string | undefined>): string[] {
  try {
    readConfig({ ...GOOD, ...settings });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [title, ...lines] = error.message.split('\n');
    expect(title).toBe('Configuration is not usable:');
    return lines.map((line) => line.trim());
  }
  return [];
}

describe('CONSOLE_URL', () => {
  it.each([
    'https://console.example',
    'https://console.example:8443/',
    'http://localhost:8070',
    'http://127.0.0.1',
    'http://[::1]:8070',
  ])('may be %s', (url) => {
    expect(readConfig({ ...GOOD, CONSOLE_URL: url }).CONSOLE_URL).toBe(new URL(url).origin);
  });

  it.each([
    'http://console.example',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://10.0.0.1',
    'http://[::2]',
  ])('stops the start as %s: cookies would be sent in clear text', (url) => {
    expect(faultsWith({ CONSOLE_URL: url })).toEqual(['CONSOLE_URL: must be https, except on localhost']);
  });

  it.each(['https://console.example/path', 'https://console.example/?a=b', 'https://user@console.example'])(
    'stops the start as %s, which is not an origin',
    (url) => {
      expect(faultsWith({ CONSOLE_URL: url })).toEqual(['CONSOLE_URL: must have no path']);
    },
  );

  it.each([
    [undefined, /^CONSOLE_URL: /],
    ['console.example', /^CONSOLE_URL: must be an http:\/\/ or https:\/\/ URL$/],
    ['ftp://console.example', /^CONSOLE_URL: must be an http:\/\/ or https:\/\/ URL$/],
  ])('stops the start as %s', (url, fault) => {
    expect(faultsWith({ CONSOLE_URL: url })).toEqual([expect.stringMatching(fault)]);
  });
});

describe('settings of OpenID Connect', () => {
  it.each(['https://id.example/tenant', 'http://localhost:9000', 'http://127.0.0.1:9000'])(
    'may have the issuer %s',
    (url) => {
      expect(faultsWith({ ...OIDC, OIDC_ISSUER: url })).toEqual([]);
    },
  );

  it.each([
    ['http://id.example', 'OIDC_ISSUER: must be https, except on localhost'],
    ['id.example', 'OIDC_ISSUER: must be an http:// or https:// URL'],
  ])('stop the start with the issuer %s', (url, fault) => {
    expect(faultsWith({ ...OIDC, OIDC_ISSUER: url })).toEqual([fault]);
  });

  it.each([
    [{ OIDC_ISSUER: OIDC.OIDC_ISSUER }, 'OIDC_CLIENT_ID: must be set together with OIDC_ISSUER'],
    [{ OIDC_CLIENT_ID: 'tollgate' }, 'OIDC_ISSUER: must be set together with OIDC_CLIENT_ID'],
    [{ OIDC_CLIENT_SECRET: 'a secret value' }, 'OIDC_ISSUER: must be set together with OIDC_CLIENT_SECRET'],
    [
      { OIDC_JOIN: 'example.com=0190b6a4-0000-7000-8000-000000000000:developer' },
      'OIDC_ISSUER: must be set together with OIDC_JOIN',
    ],
  ])('stop the start where one is missing: %j', (settings, fault) => {
    expect(faultsWith(settings)).toEqual([fault]);
  });

  it.each(['example.com', 'example.com=x:developer', 'example.com=0190b6a4-0000-7000-8000-000000000000:operator'])(
    'stop the start with the joins %s',
    (joins) => {
      expect(faultsWith({ ...OIDC, OIDC_JOIN: joins })).toEqual([expect.stringMatching(/^OIDC_JOIN: must be comma-/)]);
    },
  );
});

describe('other settings', () => {
  it.each([
    [{ SMTP_URL: 'smtp://user:hunter2hunter2@mail.example' }, 'MAIL_FROM: must be set together with SMTP_URL'],
    [{ MAIL_FROM: 't@example.com' }, 'SMTP_URL: must be set together with MAIL_FROM'],
    [
      { FIRST_OPERATOR_PASSWORD: 'hunter2hunter2' },
      'FIRST_OPERATOR_EMAIL: must be set together with FIRST_OPERATOR_PASSWORD',
    ],
    [
      { FIRST_OPERATOR_EMAIL: 'a@example.com', FIRST_OPERATOR_PASSWORD: 'hunter2' },
      'FIRST_OPERATOR_PASSWORD: must have at least 12 characters',
    ],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, proxy' }, 'TRUSTED_PROXIES: must be comma-separated addresses or networks (CIDR)'],
    [{ SMTP_URL: 'https://mail.example', MAIL_FROM: 't@example.com' }, 'SMTP_URL: must be an smtp:// or smtps:// URL'],
    [{ TRACE_URL: 'https://traces.example' }, 'TRACE_URL: must be a URL with {trace_id} in it'],
  ])('stop the start without quoting a value: %j', (settings, fault) => {
    expect(faultsWith(settings)).toEqual([fault]);
  });

  it('are all named that are at fault', () => {
    const faults = faultsWith({ CONSOLE_URL: 'http://console.example', SMTP_URL: 'smtp://a', DATABASE_URL: undefined });
    expect(faults.map((line) => line.split(':')[0])).toEqual(['DATABASE_URL', 'CONSOLE_URL']);
  });
});

describe('COMPANY_ADDRESS', () => {
  it('is lines, without empty ones', () => {
    expect(readConfig({ ...GOOD, COMPANY_ADDRESS: 'Street 1\n\n 10115 Berlin \n' }).COMPANY_ADDRESS).toEqual([
      'Street 1',
      '10115 Berlin',
    ]);
    expect(readConfig(GOOD).COMPANY_ADDRESS).toEqual([]);
  });

  it('has as many as fit on an envelope', () => {
    expect(faultsWith({ COMPANY_ADDRESS: 'line\n'.repeat(9) })).toEqual(['COMPANY_ADDRESS: must have at most 8 lines']);
  });
});
