/** A buffered response: status, headers, body. */
export interface BufferedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A parsed body, or the error response for it. */
export type BodyResult<Body> = { ok: true; body: Body } | { ok: false; response: BufferedResponse };
