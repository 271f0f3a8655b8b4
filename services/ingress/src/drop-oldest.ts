/** Drops the entry that was put in before all others. */
export function dropOldest<Name>(entries: Map<Name, unknown> | Set<Name>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
