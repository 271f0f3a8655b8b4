/** The members in which most events of a stream differ. */
export const VARYING: ReadonlySet<string> = new Set(['text', 'thinking', 'partial_json']);
