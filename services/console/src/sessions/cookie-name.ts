/** The name of the session's cookie: browsers keep `__Host-` cookies only for https. */
export function sessionCookieName(consoleUrl: string): string {
  return consoleUrl.startsWith('https:') ? '__Host-tollgate-session' : 'tollgate-session';
}
