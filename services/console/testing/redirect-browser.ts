const MAX_REDIRECTS = 20;

/** A browser that keeps the cookies of each origin and follows redirects itself. */
export class RedirectBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  /** The cookies for an origin, as a header. */
  cookies(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** One request; its redirect is not followed. */
  async request(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookies(origin) } });
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects until an address matches, which is not requested, or until there is none. Returns the last address. */
  async follow(url: string, until: (url: URL) => boolean): Promise<string> {
    let current = url;
    for (let step = 0; step < MAX_REDIRECTS; step++) {
      if (until(new URL(current))) return current;
      const location = (await this.request(current)).headers.get('location');
      if (location === null) return current;
      current = new URL(location, current).href;
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects from ${url}`);
  }
}
