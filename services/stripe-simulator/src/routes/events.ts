import { z } from 'zod';
import { missing } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { boolean, common, created, paging, text } from '../api/params.ts';
import { idIn, type Route, route } from '../api/route.ts';

const list = z.strictObject({
  ...paging,
  created,
  delivery_success: boolean.optional(),
  type: text().optional(),
  types: z.array(text()).max(20).optional(),
});

export const EVENT_ROUTES: Route[] = [
  route('GET', '/v1/events', list, (params, { world }) => {
    const { type, types, delivery_success: isDelivered } = params;
    return listOf(
      '/v1/events',
      world.events,
      params,
      (event) =>
        (type === undefined || matches(event.type, type)) &&
        (types === undefined || types.some((one) => matches(event.type, one))) &&
        (isDelivered === undefined || (event.pending_webhooks === 0) === isDelivered),
    );
  }),
  route('GET', '/v1/events/:id', z.strictObject(common), (_, context) => {
    const event = context.world.events.get(idIn(context));
    if (event === undefined) throw missing('event', idIn(context));
    return event;
  }),
];

/** `charge.*` stands for all that begin so. */
function matches(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
