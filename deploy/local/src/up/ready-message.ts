import type { Facts } from '../stack/types.ts';

/** The message after the start, with examples to copy. */
export function welcome(facts: Facts, logs: string, simulated: boolean): string {
  const model = facts.models[0] ?? 'MODEL';
  const urls = facts.base_urls.join('  ');
  const note = simulated
    ? 'Responses come from a simulated provider. Set OPENAI_API_KEY or the key of another provider to call real models.\n'
    : '';
  const payments =
    facts.payments?.stripe_simulator_url === undefined
      ? ''
      : 'Payments go to a simulated Stripe. Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to use yours.\n';
  const webhooks =
    facts.payments === undefined || payments !== '' ? '' : `  Webhooks  ${facts.payments.webhooks_url}  (of Stripe)\n`;
  return `
Tollgate is ready.

  Console   ${facts.console?.url ?? ''}  (${facts.console?.operator_email ?? ''}, password ${facts.console?.operator_password ?? ''})
  Base URL  ${urls}
  API key   ${facts.api_key}
  Models    ${facts.models.join(', ')}
${webhooks}  Logs      ${logs}

${note}${payments}
With curl:

curl ${facts.base_url}/v1/chat/completions \\
  -H 'authorization: Bearer ${facts.api_key}' \\
  -H 'content-type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'

With OpenAI's SDK, in the folder of this checkout:

deploy/node --input-type=module <<'END'
import OpenAI from 'openai';
const client = new OpenAI({ baseURL: '${facts.base_url}/v1', apiKey: '${facts.api_key}' });
const response = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(response.choices[0].message.content, response.usage);
END

The same key and base URL serve the SDKs of Anthropic and Google, each of them with every model: see README.md.

Ctrl-C stops everything; the data stays.
`;
}
