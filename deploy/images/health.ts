/**
 * The health check of an image: exits with 0 when the service is ready. `health.ts PATH VARIABLE PORT` requests a path on
 * the port in an environment variable, or on PORT if it is not set.
 */
const TIMEOUT_MS = 4_000;

const [path = '', variable = '', port = ''] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env[variable] || port}${path}`;
const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
if (!response.ok) process.stderr.write(`${await response.text()}\n`);
process.exit(response.ok ? 0 : 1);
