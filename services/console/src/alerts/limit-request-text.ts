import { z } from 'zod';
import { dollars, minute } from './amounts-and-times.ts';
import { capName, ownerOf } from './cap-text.ts';

/** What auth sends with its events beside what names the cap; amounts are decimal dollars, times RFC 3339. */
export const limitRequestData = {
  asked_by: z.string(),
  answered_by: z.string(),
  note: z.string(),
  duration: z.string(),
};

type Data = {
  [Name in keyof typeof limitRequestData | 'reason' | 'limit' | 'amount' | 'until']?: string | undefined;
} & Parameters<typeof capName>[0] &
  Parameters<typeof ownerOf>[0];

/** That somebody asks for a higher limit, or the answer. */
export function limitRequestText(type: string, data: Data): { title: string; sentence: string } {
  const { asked_by: asker, answered_by: answerer = '', reason = '', note = '', limit, amount, duration, until } = data;
  const cap = `${capName(data)} of the ${ownerOf(data)}`;
  const by = answerer === '' ? 'An operator' : answerer;
  const added = note === '' ? '' : ` Their note: ${note}`;
  switch (type) {
    case 'limit.requested': {
      const wanted = amount === undefined ? '' : ` to ${dollars(amount)}`;
      const now = limit === undefined ? '' : ` It is ${dollars(limit)} now.`;
      return {
        title: `${asker} asks for a higher limit`,
        sentence: `${asker} asks to raise the ${cap}${wanted}.${now} Their reason: ${reason}`,
      };
    }
    case 'limit.granted':
      return {
        title: `you have a higher limit of ${dollars(limit)}`,
        sentence: `${by} raised the ${cap} to ${dollars(limit)}${term(duration, until)}.${added}`,
      };
    default:
      return {
        title: 'the higher limit was declined',
        sentence: `${by} declined to raise the ${cap}.${added}`,
      };
  }
}

/** For how long a limit is granted. */
function term(duration: string | undefined, until: string | undefined): string {
  if (until !== undefined) return ` until ${minute(until)}`;
  return duration === 'always' ? ' for good' : ' for this session';
}
