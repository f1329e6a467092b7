/** Runs `svc __complete …` for the completion scripts. Loads as little as possible, prints no errors, and always exits with 0. */
const { closeSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/** Time in milliseconds that completion waits for a list that is not in the cache yet. */
const WAIT_MS = 700;
const POLL_MS = 20;
/** Time limit of a refresh in the background, in milliseconds. */
const BACKGROUND_MS = 10_000;

const LIST = '--list';

/**
 * Prints candidates for a shell, or refreshes cached lists in the background.
 * @param args `SHELL LINE …`, or `--list SOURCE… -- WORDS…` in the background
 * @param program `load` loads a file of dist/ by its name. `again` has the arguments of Node that start svc again
 */
async function complete(args, program) {
  try {
    if (args[0] === LIST) await listInBackground(args.slice(1), program);
    else await answer(args, program);
  } catch {
    // An error message would disturb the user's prompt.
  }
}

async function answer(args, { load, again }) {
  const { completeLine } = load('complete.cjs');
  // PowerShell passes the line in the environment, because older versions lose quotes.
  const completionArgs = args.length === 1 ? [...args, process.env.SVC_COMPLETE_LINE ?? ''] : args;
  let found = completeLine(completionArgs, outside());
  const { words } = found;
  const startListing = (sources) => spawnDetached([...again, '__complete', LIST, ...sources, '--', ...words]);
  if (found.listsToRefresh.length > 0 && found.isCold) startListing(found.listsToRefresh);
  const until = Date.now() + WAIT_MS;
  while (found.isCold && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    found = { ...completeLine(completionArgs, outside()), listsToRefresh: [] };
  }
  if (found.lines.length > 0) writeSync(1, `${found.lines.join('\n')}\n`);
  if (found.listsToRefresh.length === 0) return;
  // The shell has its candidates now, so it need not wait until another process has started.
  closeSync(1);
  startListing(found.listsToRefresh);
  process.exit();
}

function spawnDetached(args) {
  const { spawn } = require('node:child_process');
  // The process gets its own session, without a terminal for prompts and without signals of this terminal.
  spawn(process.execPath, args, { detached: true, stdio: 'ignore', windowsHide: true }).unref();
}

async function listInBackground(args, { load }) {
  const end = args.indexOf('--');
  exitAfter(BACKGROUND_MS);
  const { refreshCompletionList } = load('complete.cjs');
  const { main, realContext } = load('main.cjs');
  const context = realContext();
  for (const source of args.slice(0, end))
    await refreshCompletionList({ source, words: args.slice(end + 1) }, outside(), { main, context });
}

/** Ends this process and its child processes, such as a key command, after a time. */
function exitAfter(milliseconds) {
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

/** Returns the home folder, or undefined if the system knows none. */
function homeOf() {
  try {
    // Does the same as `homedir`, without loading `node:os`.
    return process.env.HOME ?? require('node:os').homedir();
  } catch {
    return undefined;
  }
}

module.exports = { complete };
