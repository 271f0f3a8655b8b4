import type { ConsoleConfig } from '../config.ts';
import type { Handler } from '../http/handler.ts';

export function createGetConfigHandler({ config }: { config: ConsoleConfig }): Handler<'GET /config'> {
  return async () => ({
    service_name: config.SERVICE_NAME,
    base_url: config.BASE_URL,
    console_url: config.CONSOLE_URL,
    oidc: config.OIDC_ISSUER === undefined ? null : { name: config.OIDC_NAME },
    mail: config.SMTP_URL !== undefined,
    trace_url: config.TRACE_URL ?? null,
  });
}
