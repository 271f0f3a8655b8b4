import { lowerCaseAscii } from '@tollgate/common/ascii';
import {
  addressSettings,
  commonSettings,
  grpcAddress,
  grpcTlsSettings,
  httpUrl,
  keySettings,
  lingerSettings,
  loadConfig,
  origin,
  port,
  postgresSettings,
  proxySettings,
} from '@tollgate/common/config';
import { MIN_PASSWORD } from '@tollgate/common/descriptors/check';
import { isEmail } from '@tollgate/common/descriptors/read-json';
import { z } from 'zod';
import { parseJoins } from './oidc/joins.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Plain HTTP would send session cookies in clear text. */
const consoleUrl = origin.refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}, 'must be https, except on localhost');

const email = z.string().trim().transform(lowerCaseAscii).refine(isEmail, 'must be an e-mail address');

const password = z
  .string()
  .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
  .max(1_000)
  .refine((text) => !isEmail(text), 'must not be an e-mail address');

/** Over plain HTTP, anybody on the way could sign in as anybody. */
const issuerUrl = httpUrl.refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}, 'must be https, except on localhost');

const withoutTrailingSlash = httpUrl.transform((text) => text.replace(/\/+$/, ''));

const joins = z.string().transform((text, context) => {
  const parsed = parseJoins(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({
    code: 'custom',
    message: 'must be comma-separated entries such as example.com=<account id>:developer',
  });
  return z.NEVER;
});

/** As many lines as fit on an envelope. */
const MAX_ADDRESS_LINES = 8;

const companyText = z.string().trim().min(1).max(100);
const addressLines = z
  .string()
  .transform((text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )
  .pipe(z.array(z.string().max(100)).max(MAX_ADDRESS_LINES, `must have at most ${MAX_ADDRESS_LINES} lines`));

/** Settings of the console, by the names of their environment variables. */
export const settings = z.object({
  ...commonSettings,
  ...grpcTlsSettings,
  ...postgresSettings,
  ...keySettings,
  ...lingerSettings,
  ...addressSettings,
  PORT: port.default(8070).describe('HTTP port of the console; 0 lets the system choose.'),
  CONSOLE_URL: consoleUrl.describe(
    'URL at which people open the console, without a path. Must be https, except on localhost.',
  ),
  BASE_URL: withoutTrailingSlash.describe('Public base URL of the gateway, shown to clients.'),
  GATEWAY_URL: withoutTrailingSlash
    .optional()
    .describe('URL at which the playground calls the gateway; when unset, `BASE_URL`.'),
  FIRST_OPERATOR_EMAIL: email.optional().describe('Address of the operator who is created if there is none yet.'),
  FIRST_OPERATOR_PASSWORD: password
    .optional()
    .describe('Their password, at least 12 characters; when unset, they set one by a reset link.'),
  OIDC_ISSUER: issuerUrl
    .optional()
    .describe('Issuer URL of an OpenID Connect provider that people may sign in with; when unset, none.'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Client id of the console at that provider.'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Its client secret.'),
  OIDC_NAME: z.string().min(1).max(50).default('single sign-on').describe('Name of the provider on the sign-in page.'),
  OIDC_JOIN: joins
    .prefault('')
    .describe(
      'Accounts that people join by themselves at their first sign-in with OpenID Connect, by the domain of their verified e-mail address: comma-separated `domain=account_id:role`. When unset, people need an invitation.',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
    .optional()
    .describe(
      'SMTP server for e-mails, such as `smtps://user:password@mail.example.com`; when unset, links are shown to copy and alerts are not mailed.',
    ),
  MAIL_FROM: z
    .string()
    .min(3)
    .max(300)
    .optional()
    .describe('Sender of e-mails, such as `Tollgate <tollgate@example.com>`.'),
  PAYMENTS_ADDRESS: grpcAddress
    .optional()
    .describe('gRPC address of payments; when unset, accounts cannot pay in and operators credit them.'),
  COMPANY_NAME: companyText
    .optional()
    .describe(
      'Who issues statements and receipts; when unset, `Tollgate`. Documents that were downloaded before keep theirs.',
    ),
  COMPANY_ADDRESS: addressLines.prefault('').describe('Its postal address on them, as lines. None when unset.'),
  COMPANY_TAX_ID: companyText.optional().describe('Its tax id on them, such as `DE123456789`.'),
  COMPANY_EMAIL: email.optional().describe('Its e-mail address on them, for questions.'),
  TRACE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && text.includes('{trace_id}'), 'must be a URL with {trace_id} in it')
    .optional()
    .describe('URL of a trace in a tracing UI, with `{trace_id}` for its id; requests link to it.'),
  ...proxySettings,
});

/** Settings that only work together. */
const TOGETHER = [
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['FIRST_OPERATOR_PASSWORD', 'FIRST_OPERATOR_EMAIL'],
] as const;

const configSchema = settings.superRefine((given, context) => {
  for (const [name, needed] of TOGETHER) {
    if (given[name] !== undefined && given[needed] === undefined)
      context.addIssue({ code: 'custom', path: [needed], message: `must be set together with ${name}` });
  }
  if (given.OIDC_JOIN.size > 0 && given.OIDC_ISSUER === undefined)
    context.addIssue({ code: 'custom', path: ['OIDC_ISSUER'], message: 'must be set together with OIDC_JOIN' });
});

export type ConsoleConfig = z.output<typeof configSchema>;

/** Reads the settings of the console; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): ConsoleConfig {
  return loadConfig(configSchema, env);
}
