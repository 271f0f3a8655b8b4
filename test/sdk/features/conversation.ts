import { expect } from 'vitest';
import { IMAGE_URL, PDF, PDF_URL, PNG, user, WAV } from '../support/messages.ts';
import { FINISH, type Outcome, type Run } from './run.ts';

const SENTENCE = 'Ships at a distance have every man’s wish on board. 🚢 Gültig, 有効, صالح.';

function expectText({ cell, response }: Outcome, text: string): void {
  expect(response).toMatchObject({ text, finish: FINISH.stop[cell.client] });
}

function receivedMedia(outcome: Outcome, kind: 'images' | 'files' | 'audio', source: string, mediaType?: string): void {
  const { cell, response } = outcome;
  const received = cell.received(response);
  expect(received[kind].map((media) => media.source)).toEqual([source]);
  if (mediaType !== undefined) expect(received[kind][0]?.mediaType).toBe(mediaType);
  expect(received.turns.map((turn) => turn.role)).toEqual(['user']);
}

export const CONVERSATION: Readonly<Record<string, Run>> = {
  text: {
    ask: (cell) => cell.ask({ turns: [user('Say it.', { text: SENTENCE })] }),
    check: (outcome) => {
      expectText(outcome, SENTENCE);
      if (outcome.cell.mode === 'stream') expect(outcome.response.pieces).toBeGreaterThan(5);
    },
  },
  'split-text': {
    ask: (cell) =>
      cell.ask({ turns: [user('Say it.', { text: SENTENCE, split_bytes: 3, crlf: true, comments: true })] }),
    check: (outcome) => expectText(outcome, SENTENCE),
  },
  'multi-turn': {
    ask: (cell) =>
      cell.ask({
        turns: [user('First.'), { role: 'assistant', text: 'One.' }, user('Second.', { text: 'Two.' })],
      }),
    check: (outcome) => {
      expectText(outcome, 'Two.');
      expect(outcome.cell.received(outcome.response).turns).toMatchObject([
        { role: 'user', text: 'First.' },
        { role: 'assistant', text: 'One.' },
        { role: 'user', text: expect.stringContaining('Second.') },
      ]);
    },
  },
  system: {
    ask: (cell) => cell.ask({ system: 'Be brief.', turns: [user('Hello.', { text: 'Hi.' })] }),
    check: (outcome) => {
      expectText(outcome, 'Hi.');
      const received = outcome.cell.received(outcome.response);
      expect(received.system).toEqual(['Be brief.']);
      expect(received.turns).toHaveLength(1);
    },
  },
  'later-instructions': {
    ask: (cell) =>
      cell.ask({
        turns: [
          user('First.'),
          { role: 'assistant', text: 'One.' },
          { role: 'instructions', text: 'Now be loud.' },
          user('Second.', { text: 'TWO.' }),
        ],
      }),
    check: (outcome) => {
      expectText(outcome, 'TWO.');
      const { system, laterInstructions } = outcome.cell.received(outcome.response);
      const loud = ['Now be loud.'];
      expect({ system, laterInstructions }).toEqual(
        outcome.expected.kind === 'works'
          ? { system: [], laterInstructions: loud }
          : { system: loud, laterInstructions: [] },
      );
    },
  },
  'image-inline': {
    ask: (cell) => cell.ask({ turns: [user('What is it?', { text: 'A point.' }, { image: PNG })] }),
    check: (outcome) => {
      expectText(outcome, 'A point.');
      receivedMedia(outcome, 'images', PNG.data, PNG.mediaType);
    },
  },
  'image-url': {
    ask: (cell) => cell.ask({ turns: [user('What is it?', { text: 'A point.' }, { image: IMAGE_URL })] }),
    check: (outcome) => {
      expectText(outcome, 'A point.');
      receivedMedia(outcome, 'images', IMAGE_URL.url);
    },
  },
  'file-inline': {
    ask: (cell) => cell.ask({ turns: [user('What is it?', { text: 'A page.' }, { file: PDF })] }),
    check: (outcome) => {
      expectText(outcome, 'A page.');
      receivedMedia(outcome, 'files', PDF.data, PDF.mediaType);
    },
  },
  'file-url': {
    ask: (cell) => cell.ask({ turns: [user('What is it?', { text: 'A page.' }, { file: PDF_URL })] }),
    check: (outcome) => {
      expectText(outcome, 'A page.');
      receivedMedia(outcome, 'files', PDF_URL.url);
    },
  },
  'long-stream': {
    ask: (cell) => cell.ask({ maxTokens: 6_000, turns: [user('Talk.', { output_tokens: 5_000 })] }),
    check: ({ cell, response }) => {
      expect(response).toMatchObject({ finish: FINISH.stop[cell.client], usage: { output: 5_000 } });
      expect(response.text.length).toBeGreaterThan(20_000);
    },
  },
  silence: {
    ask: (cell) => cell.ask({ turns: [user('Talk.', { text: 'At last.', first_token_delay_ms: 12_000 })] }),
    check: (outcome) => expectText(outcome, 'At last.'),
  },
  audio: {
    ask: (cell) => cell.ask({ turns: [user('What is it?', { text: 'Silence.' }, { audio: WAV })] }),
    check: (outcome) => {
      expectText(outcome, 'Silence.');
      receivedMedia(outcome, 'audio', WAV.data, 'audio/wav');
    },
  },
};
