/**
 * The driver of the project: a program that solves the tasks of the gym with what guide, index, help and tools say (`npm run gym`). It reads
 * replies on stdin, and writes one request a line on stdout.
 */
import { createInterface } from 'node:readline';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);
const ask = async (request) => {
  process.stdout.write(`${JSON.stringify(request)}\n`);
  const reply = await next();
  if (process.env.GYM_LOG)
    process.stderr.write(`> ${JSON.stringify(request)}\n< ${JSON.stringify(reply).slice(0, 900)}\n`);
  return reply;
};
const done = (answer = null) => process.stdout.write(`${JSON.stringify({ done: answer })}\n`);

const DAY = 86_400;
const iso = (time) => new Date(time * 1000).toISOString();
const ascending = (ids) => ids.toSorted((a, b) => a - b);

/** Reads the guide, the index if the guide does not name a command, and help for each command before it runs. */
async function learn(...commands) {
  const guide = (await ask({ run: ['agent', 'guide'] })).stdout;
  if (commands.some((command) => !guide.includes(`svc ${command}`))) await ask({ run: ['help', '--json'] });
  for (const command of commands) await ask({ run: ['help', ...command.split(' '), '--json'] });
}

async function svc(...argv) {
  const { exit, stdout, stderr } = await ask({ run: [...argv, '-o', 'json'] });
  const value = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  return { exit, value, stderr };
}

const scheduled = async () => (await svc('task', 'list', '--status', 'scheduled')).value;
const rules = async () => (await svc('automation', 'list')).value;

const HAMPERS = [
  ...['--channel', 'email', '--message', 'Christmas hampers (draft)', '--name', 'Hampers'],
  '--allow-lint-errors',
];
/** The time in a text such as `on Friday 10:00`, for the next Friday. */
const timeIn = (text) => /on (\w+) (?:at )?(\d\d:\d\d)/.exec(text)?.slice(1, 3).join(' ').toLowerCase();
const quoted = (text) => /"([^"]+)"/.exec(text)?.[1];

const TASTING = (at) => `version: 1
campaign: Tasting
company: 1
tasks:
  tasting:
    name: Tasting
    channel: email
    message: 3
    list: 3
    at: '${at}'
`;

const SHELL = {
  'move-send': async ({ text }) => {
    await learn('task list', 'task update');
    const task = (await scheduled()).find(({ name }) => name === quoted(text));
    if (task.size > 500) return done();
    await svc('task', 'update', String(task.id), '--at', iso(task.scheduledtime + 3 * DAY));
    return done({ id: task.id });
  },
  'next-sends': async () => {
    await learn('task calendar');
    const { value } = await svc('task', 'calendar', '--weeks', '1');
    return done({ ids: ascending(value.map(({ id }) => id)) });
  },
  'rule-paused': async ({ text }) => {
    await learn('automation list');
    const rule = (await rules()).find(({ name }) => name === quoted(text));
    return done({ reason: rule.paused ? 'paused' : undefined });
  },
  'rule-never-sent': async ({ text }) => {
    await learn('automation list', 'task list');
    const rule = (await rules()).find(({ name }) => name === quoted(text));
    const { value } = await svc('task', 'list', '--message', String(rule.message_id));
    const isSent = value.some(({ cancelled, completed }) => completed && !cancelled);
    return done({ reason: isSent ? undefined : 'its message was never sent' });
  },
  'plan-newsletter': async () => {
    await learn('plan');
    await svc('plan', 'menu.yaml', '--out', 'menu.plan');
    return done({ plan: 'menu.plan' });
  },
  'ask-for-approval': async () => {
    await learn('plan', 'rehearse');
    await svc('plan', 'menu.yaml', '--out', 'menu.plan');
    const plan = await svc('plan', 'show', 'menu.plan');
    const { value } = await svc('rehearse', 'menu.yaml');
    return done({ digest: plan.value.sha256, recipients: value.sends[0].sent });
  },
  'name-with-orders': async () => {
    await learn('folder list');
    const { value } = await svc('folder', 'list');
    return done({ folders: value.length });
  },
  'subject-with-orders': async () => {
    await learn('task list', 'email get');
    const [task] = await scheduled();
    const { value } = await svc('email', 'get', String(task.message_id));
    return done({ subject: value.subject });
  },
  'wrong-list': async () => {
    await learn('task create');
    const { exit } = await svc('task', 'create', ...HAMPERS, '--list', '99', '--at', 'friday 10:00');
    return done({ scheduled: exit === 0 });
  },
  'lost-answer': async ({ text }) => {
    await learn('task create');
    const at = ['--at', timeIn(text), '--key', 'hampers'];
    const { value } = await svc('task', 'create', ...HAMPERS, '--list', '3', ...at);
    return done({ id: value?.id });
  },
  'cancel-send': async () => {
    await learn('task list', 'task cancel');
    const [task] = await scheduled();
    await svc('task', 'cancel', String(task.id), '--yes');
    return done();
  },
  'check-do-not-contact': async ({ text }) => {
    await learn('dnc check');
    const { value } = await svc('dnc', 'check', ...text.match(/[\w.]+@[\w.]+[a-z]/g));
    return done({
      addresses: value
        .filter(({ listed }) => listed)
        .map(({ contactdata }) => contactdata)
        .toSorted(),
    });
  },
  'add-do-not-contact': async ({ text }) => {
    await learn('dnc add');
    await svc('dnc', 'add', /[\w.]+@[\w.]+[a-z]/.exec(text)[0], '--yes');
    return done();
  },
  credits: async () => {
    await learn('forecast');
    const { value, exit } = await svc('forecast');
    const last = value.filter(({ channel }) => channel === 'email').at(-1);
    return done({ suffices: exit === 0, left: last.balance });
  },
  'why-locked': async ({ text }) => {
    await learn('why email');
    const { value } = await svc('why', 'email', quoted(text));
    return done({ task: value.by[0].id });
  },
  'edit-subject': async ({ text }) => {
    await learn('email update');
    const [name, subject] = [...text.matchAll(/"([^"]+)"/g)].map(([, words]) => words);
    await svc('email', 'update', name, '--subject', subject);
    return done();
  },
  'broken-link': async () => {
    await learn('lint');
    const { value } = await svc('lint', 'menu.yaml');
    const found = value.find(({ severity, file }) => severity === 'error' && /menu\.html$/.test(file));
    return done({ line: found.line });
  },
  'rehearse-people': async () => {
    await learn('rehearse');
    const { value } = await svc('rehearse', 'menu.yaml');
    return done({ sent: value.sends[0].sent, credits: value.sends[0].credits });
  },
  'compare-reports': async ({ text }) => {
    await learn('task list');
    const names = [...text.matchAll(/"([^"]+)"/g)].map(([, words]) => words);
    const { value } = await svc('task', 'list', '--completed', 'true');
    const share = ({ emailuniqueopens, size }) => emailuniqueopens / size;
    const [best] = value.filter(({ name }) => names.includes(name)).toSorted((a, b) => share(b) - share(a));
    return done({ task: best.id });
  },
  'pause-rules': async ({ text }) => {
    await learn('automation list', 'automation pause');
    const names = [...text.matchAll(/"([^"]+)"/g)].map(([, words]) => words);
    for (const { kind, id, name } of await rules())
      if (names.includes(name)) await svc('automation', 'pause', `${kind}:${id}`);
    return done();
  },
  'make-rule': async () => {
    await learn('automation create');
    await svc(
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Welcome to the club', '--list', '2'],
      ...['--action', 'email_autoresponder', '--target', 'Welcome', '--after', '3d', '--at-hour', '09:00:00'],
      '--weekends',
    );
    return done();
  },
  'sms-parts': async ({ text }) => {
    await learn('sms estimate');
    const { value } = await svc('sms', 'estimate', '--text', quoted(text));
    return done({ parts: value.parts });
  },
  export: async () => {
    await learn('export');
    await svc('export', 'welcome');
    return done();
  },
  'same-send-once': async () => {
    await learn('task list');
    const { value: emails } = await svc('task', 'list', '--list', '3', '--status', 'scheduled');
    return done({ id: emails[0]?.id });
  },
  undo: async () => {
    await learn('undo');
    await svc('undo', '--yes');
    return done();
  },
  'expect-size': async ({ text }) => {
    await learn('task create');
    const limits = ['--expect-size', '1..100', '--at', timeIn(text)];
    const { exit } = await svc('task', 'create', ...HAMPERS, '--list', '1', ...limits);
    return done({ scheduled: exit === 0 });
  },
  bounces: async ({ text }) => {
    await learn('task get');
    const { value } = await svc('task', 'get', quoted(text));
    return done({ bounces: value.emailuniquebounces });
  },
  drafts: async () => {
    await learn('email list');
    const { value } = await svc('email', 'list', '--used', 'false', '--fields', 'id');
    return done({ ids: ascending(value.map(({ id }) => id)) });
  },
  month: async ({ text }) => {
    await learn('usage');
    const { value } = await svc('usage', '--month', /\d{4}-\d\d/.exec(text)[0]);
    return done({ sent: value[0].email_sent });
  },
  'approved-plan': async () => {
    await learn('apply');
    await svc('apply', 'menu.plan', '--yes');
    return done();
  },
  'unapproved-plan': async () => {
    await learn('apply');
    const { stderr } = await svc('apply', 'menu.plan', '--yes');
    return done({ command: JSON.parse(stderr.trim().split('\n').at(-1)).error.hint });
  },
  'draft-campaign': async ({ text }) => {
    await learn('plan');
    await ask({ run: ['explain', 'campaign'] });
    const at = /\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(text)[0];
    await ask({
      write: {
        name: 'tasting.yaml',
        text: TASTING(at),
      },
    });
    await svc('plan', 'tasting.yaml');
    return done();
  },
};

/** Reads the tools, as a client does before the first call. */
const connect = () => ask({ tools: true });
const call = async (name, args = {}) => (await ask({ call: { name, arguments: args } })).result;
const names = (text) => [...text.matchAll(/"([^"]+)"/g)].map(([, words]) => words);

async function whyNot(text) {
  await connect();
  const { rows } = await call('list_records', { noun: 'automation', fields: ['kind', 'id', 'name'] });
  const rule = rows.find((row) => (row.untrusted?.name ?? row.name) === quoted(text));
  const found = await call('why_not', { id: `${rule.kind}:${rule.id}` });
  return found.rows.map(({ reason }) => reason);
}

const MCP = {
  'next-sends': async () => {
    await connect();
    const { rows } = await call('calendar', { weeks: 1 });
    return done({ ids: ascending(rows.map(({ id }) => id)) });
  },
  'rule-paused': async ({ text }) =>
    done({ reason: (await whyNot(text)).includes('paused') ? 'paused' : undefined }),
  'rule-never-sent': async ({ text }) =>
    done({ reason: (await whyNot(text)).includes('not-sent') ? 'its message was never sent' : undefined }),
  'plan-newsletter': async () => {
    await connect();
    await call('plan', { file: ['menu.yaml'], out: 'menu.plan' });
    return done({ plan: 'menu.plan' });
  },
  'ask-for-approval': async () => {
    await connect();
    const plan = await call('plan', { file: ['menu.yaml'], out: 'menu.plan' });
    const { result } = await call('rehearse', { file: ['menu.plan'] });
    await call('review_plan', { plan: 'menu.plan' });
    return done({ digest: plan.approve.sha256, recipients: result.sends[0].sent });
  },
  'name-with-orders': async () => {
    await connect();
    const { rows } = await call('list_records', { noun: 'folder', fields: ['id'] });
    return done({ folders: rows.length });
  },
  'subject-with-orders': async () => {
    await connect();
    const { rows } = await call('list_records', { noun: 'task', status: 'scheduled' });
    const { result } = await call('get_record', { noun: 'email', id: String(rows[0].message_id) });
    return done({ subject: result.untrusted.subject });
  },
  'check-do-not-contact': async ({ text }) => {
    await connect();
    const contact = text.match(/[\w.]+@[\w.]+[a-z]/g);
    const { result } = await call('check_do_not_contact', { contact });
    return done({ addresses: result.listed.map(({ untrusted }) => untrusted.contactdata).toSorted() });
  },
  credits: async () => {
    await connect();
    const { rows, exit } = await call('forecast');
    return done({
      suffices: exit === 0,
      left: rows.filter(({ channel }) => channel === 'email').at(-1).balance,
    });
  },
  'why-locked': async ({ text }) => {
    await connect();
    const { result } = await call('why_locked', { kind: 'email', id: quoted(text) });
    return done({ task: result.by[0].id });
  },
  'broken-link': async () => {
    await connect();
    const { rows } = await call('draft_campaign', { file: 'menu.yaml' });
    return done({ line: rows.find(({ severity }) => severity === 'error').line });
  },
  'rehearse-people': async () => {
    await connect();
    const { result } = await call('rehearse', { file: ['menu.yaml'] });
    return done({ sent: result.sends[0].sent, credits: result.sends[0].credits });
  },
  'compare-reports': async ({ text }) => {
    await connect();
    const { rows } = await call('list_records', { noun: 'task', completed: true });
    const share = ({ emailuniqueopens, size }) => emailuniqueopens / size;
    const wanted = rows.filter(({ untrusted }) => names(text).includes(untrusted.name));
    return done({ task: wanted.toSorted((a, b) => share(b) - share(a))[0].id });
  },
  'sms-parts': async ({ text }) => {
    await connect();
    const { result } = await call('estimate_sms', { message: quoted(text) });
    return done({ parts: result.parts });
  },
  export: async () => {
    await connect();
    await call('export', { dir: 'welcome' });
    return done();
  },
  bounces: async ({ text }) => {
    await connect();
    const { result } = await call('get_record', { noun: 'task', id: quoted(text) });
    return done({ bounces: result.emailuniquebounces });
  },
  drafts: async () => {
    await connect();
    const { rows } = await call('list_records', { noun: 'email', used: false, fields: ['id'] });
    return done({ ids: ascending(rows.map(({ id }) => id)) });
  },
  month: async ({ text }) => {
    await connect();
    const [month] = /\d{4}-\d\d/.exec(text);
    const { rows } = await call('list_records', { noun: 'task', completed: true, channel: 'email' });
    const sent = rows.filter(({ scheduledtime_iso: time }) => time.startsWith(month));
    return done({ sent: sent.reduce((sum, { size }) => sum + size, 0) });
  },
  'approved-plan': async () => {
    await connect();
    await call('apply', { file: 'menu.plan' });
    return done();
  },
  'unapproved-plan': async () => {
    await connect();
    const { approve } = await call('apply', { file: 'menu.plan' });
    return done({ command: approve.command });
  },
  'draft-campaign': async ({ text }) => {
    await connect();
    await call('explain', { what: ['campaign'] });
    const [at] = /\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(text);
    await call('draft_campaign', {
      file: 'tasting.yaml',
      write: [{ path: 'tasting.yaml', text: TASTING(at) }],
    });
    await call('plan', { file: ['tasting.yaml'] });
    return done();
  },
};

const given = await next();
const solve = { shell: SHELL, mcp: MCP }[given.through][given.task];
try {
  await solve(given);
} catch (error) {
  process.stderr.write(`${given.task}: ${error.stack}\n`);
  done();
}
