/** Appends all elements. Spreading more than about 100,000 of them into `push` would overflow the stack. */
export function append<T>(list: T[], elements: Iterable<T>): void {
  for (const element of elements) list.push(element);
}
