import { expect } from 'vitest';
import { user } from '../support/say.ts';
import { FINISH, type Run } from './run.ts';

const REFUSAL = 'I will not do that.';

function stopping(stop: string[]): Run {
  return {
    ask: (cell) => cell.ask({ stop, turns: [user('Count.', { text: 'One two END three.' })] }),
    check: ({ cell, answer }) => {
      expect(cell.received(answer).stop).toEqual(stop);
      expect(answer.text.trim()).toBe('One two');
      // Only Messages tells a stop sequence from the end of an answer.
      if (cell.client === 'anthropic-messages' && cell.upstream === 'anthropic-messages') {
        expect(answer).toMatchObject({ finish: 'stop_sequence', stopSequence: 'END' });
      } else expect([FINISH.stop[cell.client], 'stop_sequence']).toContain(answer.finish);
    },
  };
}

export const STOPS: Readonly<Record<string, Run>> = {
  'stop-length': {
    ask: (cell) => cell.ask({ maxTokens: 20, turns: [user('Talk.', { output_tokens: 300 })] }),
    check: ({ cell, answer }) => {
      expect(answer.finish).toBe(FINISH.length[cell.client]);
      expect(answer.usage?.output).toBe(20);
      expect(cell.received(answer).maxTokens).toBe(20);
    },
  },
  'stop-sequence': stopping(['END']),
  'five-stop-sequences': stopping(['END', 'a1', 'b2', 'c3', 'd4']),
  'stop-filter': {
    ask: (cell) => cell.ask({ turns: [user('Talk.', { text: 'Well', finish_reason: 'content_filter' })] }),
    check: ({ cell, answer }) => expect(answer.finish).toBe(FINISH.filter[cell.client]),
  },
  'stop-refusal': {
    ask: (cell) => cell.ask({ turns: [user('Talk.', { refusal: REFUSAL })] }),
    check: ({ cell, answer }) => {
      expect(answer.text + answer.refusal).toBe(REFUSAL);
      const upstreamTells = cell.upstream === 'openai-chat' || cell.upstream === 'openai-responses';
      const clientTells = cell.client === 'openai-chat' || cell.client === 'openai-responses';
      // OpenAI's protocols tell a refusal by a field of its own, the others by the reason for the stop.
      if (upstreamTells && clientTells) expect(answer.refusal).toBe(REFUSAL);
      else expect(answer.finish).toBe(FINISH.filter[cell.client]);
    },
  },
};
