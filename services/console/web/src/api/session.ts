import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type Output } from './client.ts';
import { useRead } from './queries.ts';

export type Session = NonNullable<Output<'GET /session'>>;
export type Config = Output<'GET /config'>;

const SESSION = ['GET /session', {}] as const;

/** The session of this browser; null: signed out. */
export function useSessionQuery(): UseQueryResult<Session | null, Error> {
  return useQuery({
    queryKey: SESSION,
    queryFn: ({ signal }) => call('GET /session', {}, { signal }),
    staleTime: 60_000,
  });
}

/** The session, on pages that are shown to signed-in people only. */
export function useSession(): Session {
  const { data } = useSessionQuery();
  if (data === undefined || data === null) throw new Error('this page requires a session');
  return data;
}

export function useSetSession(): (session: Session | null) => void {
  const client = useQueryClient();
  return (session) => client.setQueryData(SESSION, session);
}

/** Undefined until it has loaded. */
export function useConfig(): Config | undefined {
  return useRead('GET /config', {}).data;
}
