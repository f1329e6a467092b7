/** Runs `svc __update FILE` in the background. Fetches the latest version from SVC_UPDATE_URL, and saves it for the next start. */
const { lstatSync, readFileSync, renameSync, writeFileSync } = require('node:fs');

const TIMEOUT_MS = 5_000;
const MAX_CHARACTERS = 10_000;

/** Saves the latest version in the file. Ignores all errors, follows no redirect, and sends nothing that identifies the user. */
async function saveLatestVersion(file) {
  try {
    const { version } = await fetchJson(new URL(process.env.SVC_UPDATE_URL));
    if (typeof version !== 'string' || !/^[0-9]{1,6}(\.[0-9]{1,6}){2}$/.test(version)) return;
    if (!lstatSync(file).isFile()) return;
    const saved = { ...JSON.parse(readFileSync(file, 'utf8')), latest: version };
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify(saved), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    // The update notice is optional.
  }
}

async function fetchJson(url) {
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) throw new Error('not https');
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json', 'user-agent': 'svc' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_CHARACTERS) throw new Error('too long');
  }
  return JSON.parse(text);
}

module.exports = { saveLatestVersion };
