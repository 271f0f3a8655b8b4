/** A message inside another, which is always set. */
export function required<T>(message: T | undefined): T {
  if (message === undefined) throw new Error('a message is missing in the response of a service');
  return message;
}
