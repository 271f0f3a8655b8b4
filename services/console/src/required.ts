/** A message inside a response, which a service always sets. */
export function required<T>(message: T | undefined): T {
  if (message === undefined) throw new Error('a message is missing in the response of a service');
  return message;
}
