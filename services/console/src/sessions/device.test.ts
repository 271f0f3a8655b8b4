import { expect, it } from 'vitest';
import { describeDevice } from './device.ts';

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox 133 on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome 131 on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/131.0.2903.86`, 'Edge 131 on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME} Safari/537.36 OPR/116.0.0.0`, 'Opera 116 on macOS'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.1 Safari/605.1.15`, 'Safari 18 on macOS'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} Version/18.1 Mobile/15E148 Safari/604.1`,
    'Safari 18 on iPhone',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`,
    'Chrome 131 on iPhone',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) ${APPLE} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`,
    'Firefox 133 on iPad',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${CHROME.replace('Chrome', 'SamsungBrowser/27.0 Chrome')} Mobile Safari/537.36`,
    'Samsung Internet 27 on Android',
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome 131 on ChromeOS'],
  ['Mozilla/5.0 (Haiku) Firefox/133.0', 'Firefox 133'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['\u202eevil\n\u0007', 'evil'],
  ['x'.repeat(500), 'x'.repeat(60)],
  ['\u00ff', 'Unknown device'],
  ['', 'Unknown device'],
])('names the device of %j', (userAgent, device) => {
  expect(describeDevice(userAgent)).toBe(device);
});
