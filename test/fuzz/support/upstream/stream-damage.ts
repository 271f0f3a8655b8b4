import { writeJson } from '../json-mutation.ts';
import { chance, type Random } from '../random.ts';
import type { StreamEvent } from './events.ts';

const STRAY: readonly StreamEvent[] = [
  { name: '', data: undefined, text: '' },
  { name: '', data: undefined, text: 'not json' },
  { name: '', data: undefined, text: '{"type":"unheard_of","x":1}' },
  { name: 'unheard.of', data: {} },
  { name: '', data: { choices: [] } },
  { name: '', data: { candidates: [] } },
  { name: 'ping', data: { type: 'ping' } },
  { name: '', data: undefined, text: '[DONE]' },
  { name: '', data: undefined, text: '{"id":"x","choices":[{"index":4096,"delta":{"content":"far"}}]}' },
];

/** Drops, repeats, swaps and inserts events. */
export function damageEvents(random: Random, events: readonly StreamEvent[]): StreamEvent[] {
  const damaged = [...events];
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(Math.max(1, damaged.length));
    const one = damaged[at];
    if (one === undefined) return damaged;
    switch (random.below(5)) {
      case 0:
        damaged.splice(at, 1);
        break;
      case 1:
        damaged.splice(at, 0, one);
        break;
      case 2: {
        const other = random.below(damaged.length);
        damaged[at] = damaged[other] ?? one;
        damaged[other] = one;
        break;
      }
      case 3:
        damaged.splice(at, 0, random.pick(STRAY as [StreamEvent, ...StreamEvent[]]));
        break;
      default:
        damaged.splice(at, 0, ...Array.from({ length: 40 }, () => one));
    }
  }
  return damaged;
}

/** Serializes a stream; `odd`: with comments, other line ends and data split over several lines. */
export function frame(random: Random, events: readonly StreamEvent[], odd: boolean): Buffer {
  const line = odd ? random.pick(['\n', '\r\n', '\r']) : '\n';
  const out: string[] = [];
  for (const { name, data, text } of events) {
    if (odd && chance(random, 200)) out.push(`: a comment${line}${line}`);
    if (odd && chance(random, 100)) out.push(`id: 7${line}retry: 10${line}`);
    const json = text ?? writeJson(data);
    const head = name === '' ? '' : `event: ${name}${line}`;
    out.push(`${head}data:${odd && chance(random, 500) ? '' : ' '}${json}${line}${line}`);
  }
  return Buffer.from(out.join(''));
}
