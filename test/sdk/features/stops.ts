import { expect } from 'vitest';
import { user } from '../support/messages.ts';
import { FINISH, type Run } from './run.ts';

const REFUSAL = 'I will not do that.';

/** How many stop sequences a provider takes. */
const MOST_STOPS = { 'openai-chat': 4, 'openai-responses': 0, 'anthropic-messages': 5, gemini: 5 } as const;

function stopAt(stop: string[]): Run {
  return {
    ask: (cell) => cell.ask({ stop, turns: [user('Count.', { text: 'One two END three.' })] }),
    check: ({ cell, response }) => {
      expect(cell.received(response).stop).toEqual(stop.slice(0, MOST_STOPS[cell.upstream]));
      expect(response.text.trim()).toBe('One two');
      // Only Messages reports a stop sequence, which is known from itself and from what the gateway keeps to.
      const isNamed = cell.upstream === 'anthropic-messages' || cell.upstream === 'openai-responses';
      if (cell.client === 'anthropic-messages' && isNamed) {
        expect(response).toMatchObject({ finish: 'stop_sequence', stopSequence: 'END' });
      } else expect([FINISH.stop[cell.client], 'stop_sequence']).toContain(response.finish);
    },
  };
}

export const STOPS: Readonly<Record<string, Run>> = {
  'stop-length': {
    ask: (cell) => cell.ask({ maxTokens: 20, turns: [user('Talk.', { output_tokens: 300 })] }),
    check: ({ cell, response }) => {
      expect(response.finish).toBe(FINISH.length[cell.client]);
      expect(response.usage?.output).toBe(20);
      expect(cell.received(response).maxTokens).toBe(20);
    },
  },
  'stop-sequence': stopAt(['END']),
  'five-stop-sequences': stopAt(['END', 'a1', 'b2', 'c3', 'd4']),
  'stop-filter': {
    ask: (cell) => cell.ask({ turns: [user('Talk.', { text: 'Well', finish_reason: 'content_filter' })] }),
    check: ({ cell, response }) => expect(response.finish).toBe(FINISH.filter[cell.client]),
  },
  'stop-refusal': {
    ask: (cell) => cell.ask({ turns: [user('Talk.', { refusal: REFUSAL })] }),
    check: ({ cell, response }) => {
      expect(response.text + response.refusal).toBe(REFUSAL);
      const upstreamHasField = cell.upstream === 'openai-chat' || cell.upstream === 'openai-responses';
      const clientHasField = cell.client === 'openai-chat' || cell.client === 'openai-responses';
      // OpenAI's protocols report a refusal in its own field, the others as a stop reason.
      if (upstreamHasField && clientHasField) expect(response.refusal).toBe(REFUSAL);
      else expect(response.finish).toBe(FINISH.filter[cell.client]);
    },
  },
};
