import { describe, expect, it } from 'vitest';
import { readBuffered, readStreamed } from './read-response.ts';

const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const delta = event({ choices: [{ delta: { content: 'Two words' } }] });

describe('a stream', () => {
  it('has ended once its last event is complete, regardless of the connection', () => {
    const stream = `${delta}${event({ choices: [], usage: { cost: 0.000012 } })}data: [DONE]\n\n`;
    expect(readStreamed('openai-chat', stream)).toEqual({
      ended: true,
      text: 'Two words',
      isError: false,
      reported: 12_000n,
    });
    for (let length = 0; length < stream.length - 1; length += 1)
      expect(readStreamed('openai-chat', stream.slice(0, length)).ended).toBe(false);
  });

  it('has not ended properly if it reports an error', () => {
    expect(readStreamed('openai-chat', `${delta}${event({ error: { code: 502 } })}`)).toMatchObject({ isError: true });
    expect(readStreamed('openai-responses', event({ type: 'response.failed', response: { error: {} } }))).toMatchObject(
      { ended: false, isError: true },
    );
  });
});

it('a buffered body counts only once it is complete', () => {
  const body = JSON.stringify({ content: [{ type: 'text', text: 'Two words' }], usage: { cost: 0.5 } });
  expect(readBuffered('anthropic-messages', body, true)).toMatchObject({
    ended: true,
    text: 'Two words',
    reported: 500_000_000n,
  });
  expect(readBuffered('anthropic-messages', body, false).ended).toBe(false);
  expect(readBuffered('anthropic-messages', body.slice(0, -1), true).ended).toBe(false);
});
