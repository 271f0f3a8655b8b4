import type { CallContext } from '@tollgate/common/grpc/handler';

/** The keys whose requests the caller may see; undefined: all of the account. Developers see those of keys they made. */
export function visibleKeys({ actor }: Pick<CallContext, 'actor'>): readonly string[] | undefined {
  if (actor === undefined) return undefined;
  return actor.role === 'developer' ? (actor.keyIds ?? []) : actor.keyIds;
}

/**
 * The keys to read: those that are asked for, as far as the caller may see them.
 *
 * @param asked undefined: all
 */
export function keysInScope(
  context: Pick<CallContext, 'actor'>,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  const visible = visibleKeys(context);
  if (visible === undefined || asked === undefined) return asked ?? visible;
  return asked.filter((keyId) => visible.includes(keyId));
}
