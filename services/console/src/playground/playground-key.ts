/** Marks the keys that the console makes for its playground. */
export const PLAYGROUND_TAGS = { purpose: 'playground' } as const;

export function isPlaygroundKey({ tags }: { tags: Readonly<Record<string, string>> }): boolean {
  return tags['purpose'] === PLAYGROUND_TAGS.purpose;
}
