import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { CREATED, pacedTokens, planOutput } from '../model/plan.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';
import { invalidRequest, renderFailure } from '../openai-chat/errors.ts';
import { parseBody } from '../openai-responses/parse-body.ts';
import { conversationOf } from '../openai-responses/request.ts';
import { usageJson } from '../openai-responses/response.ts';
import { type CompactBody, compactSchema } from '../openai-responses/schema.ts';

/** POST /v1/responses/compact: the user's messages, and one item that stands for all the rest. */
export async function handleCompact(exchange: Exchange): Promise<void> {
  const read = parseBody(exchange, compactSchema);
  if (!read.ok) return exchange.send(read.response);
  const { body } = read;
  const conversation = conversationOf(body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  const plan = planOutput('openai-responses', conversation, exchange.body, result.controls);
  const id = plan.digest.slice(0, 40);
  await respond(exchange, result.controls, {
    json: () =>
      JSON.stringify({
        id: `resp_sim${id}`,
        object: 'response.compaction',
        created_at: CREATED,
        output: [...userMessages(body, id), compaction(body, id)],
        usage: usageJson(plan.usage),
      }),
    headers: {},
    tokens: pacedTokens(plan),
    renderFailure,
  });
}

function userMessages({ input }: CompactBody, id: string): object[] {
  if (typeof input === 'string') return [userMessage([{ type: 'input_text', text: input }], id)];
  return (input ?? []).flatMap((item, index) =>
    item.type === 'message' && item.role === 'user'
      ? [
          userMessage(
            typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : item.content,
            `${id}${index}`,
          ),
        ]
      : [],
  );
}

function userMessage(content: readonly object[], id: string): object {
  return { id: `msg_sim${id}`, type: 'message', status: 'completed', role: 'user', content };
}

function compaction(body: CompactBody, id: string): object {
  const items = Array.isArray(body.input) ? body.input.length : 1;
  const text = `A summary of ${items} items.`;
  return { id: `cmp_sim${id}`, type: 'compaction', encrypted_content: wrapReasoning({ kind: 'compaction', text }) };
}
