/** `svc __complete …`: what the completion scripts ask. It loads next to nothing, says nothing of what goes wrong, and ends with 0. */
const { closeSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/** Milliseconds that a TAB waits for a list when nothing is kept of it yet. */
const WAIT_MS = 700;
const LOOK_EVERY_MS = 20;
/** What runs in the background is ended after this, whatever it waits for. */
const BACKGROUND_MS = 10_000;

const LIST = '--list';

/**
 * @param args `SHELL LINE …`, or `--list SOURCE… -- WORDS…` in the background
 * @param program how a file of dist/ is loaded by its name, and the words that start svc again, after the path of Node
 */
async function complete(args, program) {
  try {
    if (args[0] === LIST) await listInBackground(args.slice(1), program);
    else await answer(args, program);
  } catch {
    // A prompt is no place for errors.
  }
}

async function answer(args, { load, again }) {
  const { answer: ask } = load('complete.cjs');
  // PowerShell passes the line in the environment, because older versions lose quotes.
  const asked = args.length === 1 ? [...args, process.env.SVC_COMPLETE_LINE ?? ''] : args;
  let found = ask(asked, outside());
  const { words } = found;
  const startListing = (sources) => listBehind([...again, '__complete', LIST, ...sources, '--', ...words]);
  if (found.toList.length > 0 && found.isCold) startListing(found.toList);
  const until = Date.now() + WAIT_MS;
  while (found.isCold && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    found = { ...ask(asked, outside()), toList: [] };
  }
  if (found.lines.length > 0) writeSync(1, `${found.lines.join('\n')}\n`);
  if (found.toList.length === 0) return;
  // The shell has its answer now, and need not wait until another process is started.
  closeSync(1);
  startListing(found.toList);
  process.exit();
}

function listBehind(args) {
  const { spawn } = require('node:child_process');
  // In a session of its own: no terminal to ask on, and no signal of this one.
  spawn(process.execPath, args, { detached: true, stdio: 'ignore', windowsHide: true }).unref();
}

async function listInBackground(args, { load }) {
  const end = args.indexOf('--');
  endAfter(BACKGROUND_MS);
  const { refreshList } = load('complete.cjs');
  const { main, realContext } = load('main.cjs');
  const context = realContext();
  for (const source of args.slice(0, end))
    await refreshList({ source, words: args.slice(end + 1) }, outside(), { main, context });
}

/** With all that it has started, such as a key command. */
function endAfter(milliseconds) {
  setTimeout(() => {
    if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
    process.exit();
  }, milliseconds).unref();
}

function outside() {
  const { env, platform } = process;
  const home = homeOf();
  const { cacheFolder } = require('./compile-cache.js');
  const folder = cacheFolder({ env, platform, home, uid: process.getuid?.() });
  return {
    env,
    platform,
    cwd: process.cwd(),
    homeDir: home ?? '',
    now: Date.now(),
    folder: folder === undefined ? undefined : join(folder, 'completion'),
  };
}

/** Undefined where the system knows no home of this user. */
function homeOf() {
  try {
    // As `homedir` does, and without loading it.
    return process.env.HOME ?? require('node:os').homedir();
  } catch {
    return undefined;
  }
}

module.exports = { complete };
