/** The id behind a reference, which here is never expanded. */
export function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' || reference === null ? reference : reference.id;
}
