/** Commands that may make the same thing, in pairs: what each runs, what it asks for, and which records are its own. */
import type { Chance } from '../../client/simulation-world.ts';
import { NOW } from '../../support/sandbox.ts';
import { type Content, EMAILS, LISTS, MESSAGES, TEXTS } from './world.ts';

export type Channel = 'email' | 'sms';

/** A task that a job asks for. */
export interface WantedTask {
  readonly kind: 'task';
  readonly channel: Channel;
  readonly content: Content;
  readonly list: number;
  /** Unix seconds. Undefined for a relative time, which counts from the first run. */
  readonly time: number | undefined;
}

/** An autoresponder of a list that a job asks for. */
export interface WantedRule {
  readonly kind: 'rule';
  readonly channel: Channel;
  readonly content: Content;
  readonly list: number;
  readonly minutes: number;
}

export interface WantedOther {
  readonly kind: 'folder' | 'email_message' | 'sms_message' | 'proof';
}

export type Wanted = WantedTask | WantedRule | WantedOther;

export interface Job {
  /** `key`: a job with `--key`; `campaign`: a file; `hand`: a command without a key, a person's own choice; `proof`. */
  readonly by: 'key' | 'campaign' | 'hand' | 'proof';
  readonly title: string;
  readonly argv: readonly string[];
  /** The command that only looks, of a campaign. */
  readonly check?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly wants: readonly Wanted[];
  /** Reports whether a record with this name is the job's own: it has the job's name and a mark. */
  readonly owns: (name: string) => boolean;
  /** True if the job says that both are intended. */
  readonly both: boolean;
}

export interface Pair {
  readonly maker: Maker;
  readonly jobs: readonly [Job, Job];
  /** True if nothing of the first job is the same as anything of the second. */
  readonly areUnrelated: boolean;
}

export const MAKERS = [
  'same-key',
  'two-keys',
  'one-campaign',
  'two-campaigns',
  'renamed-keys',
  'key-campaign',
  'corrected',
  'hand-key',
  'hand-campaign',
  'rule-key',
  'rule-two-keys',
  'rule-corrected',
  'rule-campaigns',
  'rule-key-campaign',
  'folder-key',
  'email-key',
  'sms-message-key',
  'proofs',
  'unrelated',
] as const;
export type Maker = (typeof MAKERS)[number];

interface Options {
  readonly channel: Channel;
  readonly content: Content;
  readonly message: number;
  readonly list: number;
  /** Seconds after NOW. */
  readonly lead: number;
  readonly isRelative: boolean;
  readonly minutes: number;
  readonly rate: number | undefined;
}

const MARKED = (title: string) => {
  const pattern = new RegExp(`^${title} \\[svc-[0-9a-z-]+\\]$`);
  return (name: string): boolean => pattern.test(name);
};

export function pairOf(chance: Chance, maker: Maker): Pair {
  const options: Options = {
    channel: chance.pick(['email', 'sms']),
    content: 'a',
    message: MESSAGES.a,
    list: LISTS.first,
    // Half of them leave little time, so that later runs come when svc may not cancel any more.
    lead: 60 * Math.ceil(chance.pick([chance.between(7, 30), chance.between(60, 3000)])),
    isRelative: chance.is(0.3),
    minutes: chance.pick([0, 60]),
    rate: undefined,
  };
  const { channel } = options;
  const copy: Options = { ...options, message: chance.pick([MESSAGES.a, MESSAGES.copyOfA]) };
  const both = chance.is(0.08);
  const jobs = ((): readonly [Job, Job] => {
    switch (maker) {
      case 'same-key': {
        const job = taskByKey('k1', options);
        return [job, job];
      }
      case 'two-keys':
        return [taskByKey('k1', absolute(options)), taskByKey('k2', absolute(copy))];
      case 'one-campaign': {
        const job = campaign('a', 't', options, false, isWithFolder(chance));
        return [job, job];
      }
      case 'two-campaigns':
        return [campaign('a', 't', absolute(options), both), campaign('b', 't', absolute(options), both)];
      case 'renamed-keys':
        return [campaign('a', 't', absolute(options), both), campaign('a', 'u', absolute(options), both)];
      case 'key-campaign':
        return [taskByKey('k1', absolute(copy)), campaign('a', 't', absolute(options), false)];
      case 'corrected': {
        const other = chance.pick<Partial<Options>>([
          { list: LISTS.second },
          { message: MESSAGES.b, content: 'b' },
          { lead: options.lead + 3600, isRelative: false },
          { channel: channel === 'email' ? 'sms' : 'email' },
          { rate: 60 },
        ]);
        return [taskByKey('k1', absolute(options)), taskByKey('k1', { ...absolute(options), ...other })];
      }
      case 'hand-key':
        return [taskByHand(absolute(copy)), taskByKey('k1', absolute(options))];
      case 'hand-campaign':
        return [taskByHand(absolute(copy)), campaign('a', 't', absolute(options), false)];
      case 'rule-key': {
        const job = ruleByKey('k1', options);
        return [job, job];
      }
      case 'rule-two-keys':
        return [ruleByKey('k1', options), ruleByKey('k2', copy)];
      case 'rule-corrected': {
        const other = chance.pick<Partial<Options>>([
          { message: MESSAGES.b, content: 'b' },
          { list: LISTS.second },
          { minutes: 120 },
        ]);
        return [ruleByKey('k1', options), ruleByKey('k1', { ...options, ...other })];
      }
      case 'rule-campaigns':
        return [ruleCampaign('a', options, both), ruleCampaign('b', options, both)];
      case 'rule-key-campaign':
        return [ruleByKey('k1', copy), ruleCampaign('a', options, false)];
      case 'folder-key':
      case 'email-key':
      case 'sms-message-key': {
        const job = recordByKey(maker);
        return [job, job];
      }
      case 'proofs': {
        const job = proof(channel);
        return [job, job];
      }
      case 'unrelated': {
        const other = chance.pick<Partial<Options>>([
          { list: LISTS.second },
          { message: MESSAGES.b, content: 'b' },
          { lead: options.lead + 120 },
        ]);
        const last = { ...absolute(options), ...other };
        return [
          taskByKey('k1', absolute(options)),
          chance.is(0.5) ? taskByKey('k2', last) : campaign('a', 't', last, false),
        ];
      }
    }
  })();
  return { maker, jobs, areUnrelated: maker === 'unrelated' };
}

const absolute = (options: Options): Options => ({ ...options, isRelative: false });
const isWithFolder = (chance: Chance): boolean => chance.is(0.3);

const local = (time: number): string => new Date(time * 1000).toISOString().slice(0, 16).replace('T', ' ');
/** Returns the text of the send time. The company's clocks show UTC in December. */
const timeOf = ({ lead, isRelative }: Options): string =>
  isRelative ? `+${lead / 60}m` : `${local(NOW + lead)}`;
const wantedTask = ({ channel, content, list, lead, isRelative }: Options): WantedTask => ({
  kind: 'task',
  channel,
  content,
  list,
  time: isRelative ? undefined : NOW + lead,
});
const wantedRule = ({ channel, content, list, minutes }: Options): WantedRule => ({
  kind: 'rule',
  channel,
  content,
  list,
  minutes,
});

const taskWords = (options: Options): readonly string[] => [
  ...['task', 'create', '--channel', options.channel, '--message', String(options.message)],
  ...['--list', String(options.list), '--at', timeOf(options), '-o', 'id'],
  ...(options.rate === undefined ? [] : ['--rate', String(options.rate)]),
];

function taskByKey(key: string, options: Options): Job {
  const title = `Send ${key}`;
  return {
    by: 'key',
    title,
    argv: [...taskWords(options), '--name', title, '--key', key],
    files: {},
    wants: [wantedTask(options)],
    owns: MARKED(title),
    both: false,
  };
}

function taskByHand(options: Options): Job {
  return {
    by: 'hand',
    title: 'By hand',
    argv: [...taskWords(options), '--name', 'By hand'],
    files: {},
    wants: [wantedTask(options)],
    owns: (name) => name === 'By hand',
    both: false,
  };
}

function ruleByKey(key: string, options: Options): Job {
  const title = `Rule ${key}`;
  return {
    by: 'key',
    title,
    argv: [
      ...['automation', 'create', '--kind', 'subscription', '--list', String(options.list)],
      ...['--action', `${options.channel}_autoresponder`, '--target', String(options.message)],
      ...[
        '--actiontimediff',
        String(options.minutes),
        '--weekends',
        '--name',
        title,
        '--key',
        key,
        '-o',
        'id',
      ],
    ],
    files: {},
    wants: [wantedRule(options)],
    owns: MARKED(title),
    both: false,
  };
}

const RECORDS = {
  'folder-key': { kind: 'folder', words: ['folder', 'create'] },
  'email-key': {
    kind: 'email_message',
    words: [
      ...['email', 'create', '--from-name', 'Company', '--reply-to', 'office@example.com'],
      ...['--subject', EMAILS.a.subject, '--html', EMAILS.a.html, '--text', EMAILS.a.text],
    ],
  },
  'sms-message-key': {
    kind: 'sms_message',
    words: ['sms-message', 'create', '--from', 'Company', '--text', TEXTS.a],
  },
} as const;

function recordByKey(maker: keyof typeof RECORDS): Job {
  const { kind, words } = RECORDS[maker];
  return {
    by: 'key',
    title: 'Record k1',
    argv: [...words, '--name', 'Record k1', '--key', 'k1', '-o', 'id'],
    files: {},
    wants: [{ kind }],
    owns: MARKED('Record k1'),
    both: false,
  };
}

function proof(channel: Channel): Job {
  return {
    by: 'proof',
    title: '[Proof] News',
    argv: [
      ...[channel === 'email' ? 'email' : 'sms-message', 'proof', '1'],
      ...['--list', String(LISTS.proofs), '--yes', '-o', 'id'],
    ],
    files: {},
    wants: [{ kind: 'proof' }],
    owns: (name) => name.startsWith('[Proof] News'),
    both: false,
  };
}

function messageIn({ channel, content }: Options, key: string, who: string) {
  const name = `Message ${who}`;
  return channel === 'email'
    ? {
        yaml: `  ${key}: {channel: email, name: ${name}, from-name: Company, reply-to: office@example.com, subject: ${EMAILS[content].subject}, html: m.html, text: m.txt}`,
        files: { 'm.html': EMAILS[content].html, 'm.txt': EMAILS[content].text },
      }
    : {
        yaml: `  ${key}: {channel: sms, name: ${name}, from: Company, message: m.txt}`,
        files: { 'm.txt': TEXTS[content] },
      };
}

/** @param key the key of the task; that of its message differs in the same way */
function campaign(who: string, key: string, options: Options, both: boolean, hasFolder = false): Job {
  const message = messageIn(options, `m${key}`, who);
  const yaml = [
    'version: 1',
    `campaign: Sale ${who}`,
    ...(hasFolder ? ['folders:', `  f: {name: Folder ${who}}`] : []),
    'messages:',
    message.yaml,
    'tasks:',
    `  ${key}: {name: Send ${who}, message: m${key}, list: ${options.list}, at: ${timeOf(options)}}`,
  ];
  return {
    ...campaignJob(`${who}${key}.yaml`, yaml, message.files, both),
    wants: [wantedTask(options)],
    owns: ownedBy(who),
  };
}

function ruleCampaign(who: string, options: Options, both: boolean): Job {
  const message = messageIn(options, 'm', who);
  const yaml = [
    'version: 1',
    `campaign: Sale ${who}`,
    'messages:',
    message.yaml,
    'automations:',
    `  r: {kind: subscription, name: Rule ${who}, list: ${options.list}, action: ${options.channel}_autoresponder, target: m, actiontimediff: ${options.minutes}, weekends: true}`,
  ];
  return {
    ...campaignJob(`${who}r.yaml`, yaml, message.files, both),
    wants: [wantedRule(options)],
    owns: ownedBy(who),
  };
}

const ownedBy = (who: string) => {
  const all = ['Send', 'Rule', 'Message', 'Folder'].map((word) => MARKED(`${word} ${who}`));
  return (name: string): boolean => all.some((owns) => owns(name));
};

function campaignJob(file: string, yaml: readonly string[], files: Job['files'], both: boolean) {
  const more = both ? ['--both'] : [];
  return {
    by: 'campaign' as const,
    title: file,
    argv: ['apply', file, '--yes', ...more],
    check: ['plan', file, '--check', ...more],
    files: { ...files, [file]: `${yaml.join('\n')}\n` },
    both,
  };
}
