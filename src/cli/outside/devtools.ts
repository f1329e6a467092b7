/** Draws a page with a Chromium that `--remote-debugging-pipe` connects: Chrome DevTools Protocol 1.3, each message ends with NUL. */
import { Duplex, type Readable } from 'node:stream';

interface DrawnPage {
  readonly address: string;
  readonly width: number;
  readonly height: number | undefined;
}

/** Height of the window in which a page is measured. A page that is as high as its window must not grow with it. */
const LOW_WINDOW = 100;

/** Pixels. Chromium draws no higher picture in one piece. */
const MAX_HEIGHT = 16_000;

/** Returns the PNG of the page, and asks the browser to end. Never settles if the browser ends before. */
export async function drawPage(
  requests: Readable | null | undefined,
  responses: Readable | null | undefined,
  { address, width, height }: DrawnPage,
): Promise<Uint8Array | undefined> {
  // A pipe of a child process has both directions.
  if (!(requests instanceof Duplex) || !responses) return undefined;
  const browser = connect(requests, responses);
  try {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method: string, params: object = {}) => browser.send(method, params, sessionId);
    const window = { width, height: height ?? LOW_WINDOW, deviceScaleFactor: 1, mobile: false };
    await send('Emulation.setDeviceMetricsOverride', window);
    await send('Page.enable');
    const loaded = browser.event('Page.loadEventFired');
    await send('Page.navigate', { url: address });
    await loaded;
    const { cssContentSize } = await send('Page.getLayoutMetrics');
    const whole = Math.min(MAX_HEIGHT, Math.max(1, Math.ceil(Number(Object(cssContentSize).height))));
    const clip = { x: 0, y: 0, width, height: height ?? whole, scale: 1 };
    const { data } = await send('Page.captureScreenshot', { clip, captureBeyondViewport: true });
    return Buffer.from(String(data), 'base64');
  } finally {
    browser.send('Browser.close').catch(() => {});
  }
}

type Result = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (result: Result) => void;
  readonly reject: (why: Error) => void;
}

/** Sends requests, and returns each result by the id of its request, or the next event by its name. */
function connect(requests: Duplex, responses: Readable) {
  const waiting = new Map<number | string, Waiting>();
  const answer = (key: number | string): Promise<Result> =>
    new Promise((resolve, reject) => waiting.set(key, { resolve, reject }));
  const receive = (text: string): void => {
    const { id, method, result = {}, error } = JSON.parse(text);
    const request = waiting.get(id ?? method);
    waiting.delete(id ?? method);
    if (error) request?.reject(new Error(`the browser refused the page: ${error.message}`));
    else request?.resolve(result);
  };
  let rest = '';
  responses.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0');
    rest = texts.pop() ?? '';
    texts.forEach(receive);
  });
  // The caller learns from the process that it has ended.
  for (const stream of [requests, responses]) stream.on('error', () => {});
  let last = 0;
  return {
    send: (method: string, params: object = {}, sessionId?: unknown): Promise<Result> => {
      last += 1;
      requests.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
      return answer(last);
    },
    event: (method: string): Promise<Result> => answer(method),
  };
}
