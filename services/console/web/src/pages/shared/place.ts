/** Where requests were made, as an address names it: a project, and an owner of keys in it. */
export interface Place {
  projectId: string | null;
  ownerId: string | null;
}

const UUID = /^[0-9a-f-]{36}$/i;

/** The place that an address names. What the API would refuse is left out. */
export function readPlace(params: Readonly<Record<string, string | undefined>>): Place {
  const idOf = (text: string | undefined) => (text !== undefined && UUID.test(text) ? text.toLowerCase() : null);
  return { projectId: idOf(params['project']), ownerId: idOf(params['owner']) };
}

/** The API's query of a place. */
export function placeQuery({ projectId, ownerId }: Place): { project_id?: string; owner_id?: string } {
  return {
    ...(projectId === null ? {} : { project_id: projectId }),
    ...(ownerId === null ? {} : { owner_id: ownerId }),
  };
}
