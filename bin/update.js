/** `svc __update FILE`, in the background: which version the address in SVC_UPDATE_URL names, noted for the next start. */
const { readFileSync, renameSync, writeFileSync } = require('node:fs');

const WITHIN_MS = 5_000;
const MOST_CHARACTERS = 10_000;

/** Silent whatever goes wrong; without a redirect, and without a word about who asks. */
async function noteLatest(file) {
  try {
    const { version } = await ask(new URL(process.env.SVC_UPDATE_URL));
    if (typeof version !== 'string' || !/^[0-9]{1,6}(\.[0-9]{1,6}){2}$/.test(version)) return;
    const noted = { ...JSON.parse(readFileSync(file, 'utf8')), latest: version };
    const beside = `${file}.${process.pid}`;
    writeFileSync(beside, JSON.stringify(noted), { mode: 0o600, flag: 'wx' });
    renameSync(beside, file);
  } catch {
    // It is only a notice.
  }
}

async function ask(url) {
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) throw new Error('not https');
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json', 'user-agent': 'svc' },
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_CHARACTERS) throw new Error('too long');
  }
  return JSON.parse(text);
}

module.exports = { noteLatest };
