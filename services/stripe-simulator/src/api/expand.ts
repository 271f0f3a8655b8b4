import type { World } from '../state/world.ts';
import { badParameter } from './failure.ts';

/** How deep Stripe expands. */
const MAX_DEPTH = 4;

/** A copy of an answer with objects in the place of their ids. @throws StripeFailure for what cannot be expanded */
export function expand(world: World, answer: object, paths: readonly string[]): object {
  const copy: object = JSON.parse(JSON.stringify(answer));
  for (const path of paths) {
    const parts = path.split('.');
    if (parts.length > MAX_DEPTH) throw refused(path);
    expandIn(world, copy, parts, path);
  }
  return copy;
}

function expandIn(world: World, target: unknown, [name, ...rest]: readonly string[], path: string): void {
  if (target === null || name === undefined) return;
  if (Array.isArray(target)) {
    for (const one of target) expandIn(world, one, [name, ...rest], path);
    return;
  }
  if (typeof target !== 'object') throw refused(path);
  const own: unknown = Object.hasOwn(target, name) ? Reflect.get(target, name) : partsOf(world, target, name);
  if (own === undefined) throw refused(path);
  const found = typeof own === 'string' ? world.find(own) : own;
  if (found === undefined) throw refused(path);
  const value: unknown = typeof own === 'string' ? structuredClone(found) : own;
  Reflect.set(target, name, value);
  expandIn(world, value, rest, path);
}

/** Lists that an object has only when they are asked for. */
function partsOf(world: World, target: object, name: string): object | undefined {
  const id = String(Reflect.get(target, 'id'));
  const kind = `${String(Reflect.get(target, 'object'))}.${name}`;
  if (kind === 'checkout.session.line_items') {
    const data = world.sessionDetails.get(id)?.lineItems ?? [];
    return { object: 'list', data, has_more: false, url: `/v1/checkout/sessions/${id}/line_items` };
  }
  if (kind === 'charge.refunds') {
    const data = world.refunds.all().filter(({ charge }) => charge === id);
    return { object: 'list', data: data.reverse(), has_more: false, url: `/v1/charges/${id}/refunds` };
  }
  return undefined;
}

function refused(path: string): Error {
  return badParameter('expand', `This property cannot be expanded (${path}).`);
}
