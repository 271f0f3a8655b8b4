import { COMPLETION_CANARY } from '../canaries.ts';
import { chance, type Random } from '../random.ts';

/** The response of a correct upstream. */
export interface Content {
  model: string;
  /** The text, in the pieces of a stream. */
  pieces: string[];
  reasoning: string;
  tool: { name: string; args: string } | undefined;
  finish: 'stop' | 'length' | 'tool';
}

/** Token counts of a correct upstream. */
export interface Truth {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

export function makeContent(random: Random, model: string): Content {
  const words = random.below(12);
  const pieces = [COMPLETION_CANARY, ...Array.from({ length: words }, (_, at) => ` word${at}`)];
  const hasTool = chance(random, 100);
  return {
    model,
    pieces: chance(random, 30) ? [] : pieces,
    reasoning: chance(random, 150) ? `${COMPLETION_CANARY} thought` : '',
    tool: hasTool ? { name: 'weather', args: '{"city":"Oslo"}' } : undefined,
    finish: hasTool ? 'tool' : chance(random, 100) ? 'length' : 'stop',
  };
}

/** Counts within the bound of the smallest request, whose texts have a few bytes. */
export function makeTruth(random: Random, content: Content): Truth {
  const cached = chance(random, 250);
  return {
    input: 1 + random.below(20),
    cacheRead: cached ? random.below(10) : 0,
    cacheWrite: cached ? random.below(10) : 0,
    output: content.pieces.length === 0 && content.tool === undefined ? random.below(2) : 1 + random.below(15),
    reasoning: content.reasoning === '' ? 0 : random.below(8),
  };
}
