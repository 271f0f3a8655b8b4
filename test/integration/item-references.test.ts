import type { Account } from '@tollgate/test-support/gateway/accounts';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;
let client: OpenAI;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
  client = gateway.openai(account.key);
});

/** The bodies that the provider received in a call. */
function bodiesOf(traceUuid: string): string[] {
  return gateway.simulator.recorder.list(traceUuid.replaceAll('-', '')).map((call) => JSON.stringify(call.body));
}

async function answerOf(model: string, text: string, stream: boolean): Promise<{ id: string }[]> {
  if (!stream)
    return (await client.responses.create({ model, input: text })).output.map(({ id }) => ({ id: id ?? '' }));
  const events = await client.responses.create({ model, input: text, stream: true });
  for await (const event of events) {
    if (event.type === 'response.completed') return event.response.output.map(({ id }) => ({ id: id ?? '' }));
  }
  throw new Error('the stream had no end');
}

describe.each(UPSTREAM_PROTOCOLS)('an item named by its id, towards %s', (upstream) => {
  const model = `via-${upstream}`;

  it.each([false, true])('stands for itself (streamed: %s)', async (stream) => {
    const items = await answerOf(model, directed('Hello', { text: 'I am the earlier answer.' }), stream);
    expect(items.length).toBeGreaterThan(0);
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Hello' },
      ...items.map(({ id }) => ({ type: 'item_reference' as const, id })),
      { role: 'user', content: 'And now?' },
    ];
    const { response } = await client.responses.create({ model, input }).withResponse();
    const bodies = bodiesOf(response.headers.get('x-trace-id') ?? '');
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain('I am the earlier answer.');
    expect(bodies[0]).not.toContain('item_reference');
  });
});

describe('an unknown item', () => {
  const input = (id: string): OpenAI.Responses.ResponseInput => [
    { type: 'item_reference', id },
    { role: 'user', content: 'And now?' },
  ];

  it('is rejected with the name of the SDK setting that sends it', async () => {
    await expect(
      client.responses.create({ model: 'via-openai-responses', input: input('msg_of_nobody') }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/input\[0\].*store/) });
  });

  it('includes items of another account', async () => {
    const [item] = await answerOf('via-openai-responses', 'Hello', false);
    const other = gateway.openai((await gateway.accounts.create(1_000_000_000n)).key);
    await expect(
      other.responses.create({ model: 'via-openai-responses', input: input(item?.id ?? '') }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('includes items of a response that was not stored', async () => {
    const request = { model: 'via-openai-responses', input: 'Hello, and forget this', store: false };
    const { output } = await client.responses.create(request);
    await expect(
      client.responses.create({ model: 'via-openai-responses', input: input(output[0]?.id ?? '') }),
    ).rejects.toMatchObject({ status: 400 });
  });
});
