import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { shellWord } from './quote.ts';
import { PROMPT } from './sdk-setup.ts';

export function curlSetup(connection: Connection): ClientSetup {
  const key = connection.secret ?? `$${keyVariable(connection.serviceName)}`;
  const body = JSON.stringify({ model: connection.model, messages: [{ role: 'user', content: PROMPT }] });
  const code = [
    `curl -sS ${shellWord(`${baseUrlOf(connection)}/v1/chat/completions`)} \\`,
    `  -H "authorization: Bearer ${key}" -H 'content-type: application/json' \\`,
    `  -d ${shellWord(body)}`,
  ].join('\n');
  return { id: 'curl', label: 'curl', blocks: [{ title: 'Command', language: 'shell', code }], note: null };
}
