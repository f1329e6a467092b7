/**
 * `meaning.ts` reads an unknown command line with these words. A word can be in several rows: the other words of the command line decide.
 */

type Advice = Readonly<Record<string, string>>;
type Synonyms = Readonly<Record<string, readonly string[]>>;

const inWords = (rows: Advice): Synonyms =>
  Object.fromEntries(Object.entries(rows).map(([name, words]) => [name, words.split(' ')]));

export const VERB_SYNONYMS: Synonyms = inWords({
  list: 'ls all index search find query browse enumerate display see show view get which filter dir scan',
  get: 'view show describe read fetch retrieve info inspect detail cat see display lookup find open print',
  show: 'view get describe read fetch retrieve info inspect detail cat see display lookup find open print',
  exists: 'exist has have check test',
  create:
    'new duplicate copy replicate rerun add make invite insert compose write build generate register draft post setup define',
  add: 'authenticate new create make insert append register put post save',
  update:
    'edit rename change modify set patch put move reschedule postpone delay alter replace adjust shift mv',
  set: 'edit update change modify configure put assign save unset',
  delete: 'rm remove del destroy drop erase purge trash discard archive',
  remove: 'rm delete del destroy drop erase purge forget',
  cancel:
    'stop abort halt kill terminate unschedule pause close end recall revoke rm remove delete del destroy suspend',
  pause: 'stop halt disable deactivate suspend off freeze hold unpublish',
  resume: 'start enable activate unpause continue restart unfreeze on reactivate publish',
  undo: 'revert rollback undelete reset',
  wait: 'await sync block-until poll',
  watch: 'follow tail progress monitor track status stream live',
  bounce: 'bounced',
  click: 'clicked',
  complaint: 'complain complained spam',
  guard: 'protect monitor safeguard circuit-breaker autostop watchdog threshold',
  report:
    'stat statistic result open click metric analytics performance insight measure open-rate click-rate ctr',
  calendar: 'month week planner timeline agenda ical ics',
  preview: 'render open view browser look screenshot',
  lint: 'check validate verify spellcheck analyze analyse inspect audit test spam-check',
  proof: 'test sample send-test test-send sendtest trial send',
  pull: 'download export fetch checkout clone save',
  push: 'upload import deploy save sync put update',
  send: 'create new publish deliver dispatch text post submit',
  estimate: 'count length cost price part size',
  simulate: 'execute test try dry-run explain preview trigger what-if',
  graph: 'diagram tree map chart visualize flowchart',
  import: 'upload load bulk add ingest insert create',
  export: 'download dump backup save csv pull fetch',
  check: 'test lookup contains has find is search verify get',
  diff: 'compare delta difference changes',
  apply: 'deploy push run execute sync',
  use: 'switch select checkout activate choose set-default default change',
  trust: 'allow approve',
  untrust: 'deny distrust',
  sync: 'refresh update pull',
  start: 'up run serve boot launch begin create new dev init open',
  stop: 'down halt kill shutdown end quit exit terminate',
  status: 'ps state running info ls list',
  open: 'browse ui web dashboard view',
  reset: 'wipe clear clean empty erase destroy delete',
  clone: 'copy duplicate mirror',
  save: 'create new take make',
  restore: 'load rollback revert recover use',
  advance: 'forward travel skip move fast-forward tick add jump',
  run: 'execute finish',
  done: 'history run runs executions',
  skipped: 'excluded missing left-out suppressed',
  revoke: 'delete remove rm disable',
  restrict: 'limit permission permissions',
  unlock: 'unblock',
  clear: 'delete remove rm reset',
  tail: 'follow stream watch last',
  install: 'setup enable add',
});

/** The plural of each word counts, too. */
export const NOUN_SYNONYMS: Synonyms = inWords({
  task: 'campaign broadcast blast mailing send-out dispatch job newsletter schedule delivery sends email-campaign sms-campaign singlesend single-send run release',
  email: 'mail template message draft newsletter content html creative design eml',
  sms: 'text txt mms message',
  'sms-message': 'text-template sms-template message template text-message sms-campaign',
  'sms-destination':
    'phone number phone-number shortcode short-code longcode inbound originator keyword virtual-number',
  link: 'url href tracked-link click-url redirect',
  folder: 'group directory category collection',
  dnc: 'suppression blocklist blacklist blocked unsubscribe unsubscribed optout opt-out bounce do-not-contact suppress suppressed exclusion denylist stoplist spam-report invalid-email block',
  form: 'signup sign-up landing-page popup subscribe-form webform page',
  'subscriber-data':
    'attribute merge-field merge-tag custom-field property contact-field profile-data field-value',
  automation:
    'rule workflow flow journey trigger drip sequence autoresponder series scenario autopilot welcome-series hook',
  account:
    'organization organisation org tenant workspace balance credit quota billing plan me limit subaccount',
  features: 'feature setting limit permission capability entitlement flag toggle switch option',
  user: 'teammate people colleague login operator seat subuser person staff admin member employee team coworker',
  company: 'client subaccount sub-account tenant customer-account org organization brand account',
  profile:
    'context config configuration credential key api-key apikey token secret account environment session auth login setting cred workspace namespace env environment',
  sandbox: 'mock emulator simulator test-mode dev local server fake devserver playground staging',
  plan: 'diff changes preview dry-run',
  rehearse: 'simulate rehearsal simulation dry-run dryrun trial what-if whatif',
  approve: 'sign review accept approval',
  apply: 'deploy run push execute ship release launch',
  audit: 'compliance unapproved drift approved',
  export: 'backup back-up dump download-all git archive-all',
  forecast: 'runway projection prediction run-out enough',
  usage: 'consumption volume invoice monthly spending spend bill billing metering cost spent statement',
  api: 'curl request http rest call raw endpoint graphql',
  log: 'history activity journal change changed event audit-log changelog trail audit-trail recent',
  undo: 'revert rollback undelete back',
  why: 'locked lock reason',
  explain: 'reference schema doc documentation definition meaning spec openapi swagger',
  mcp: 'assistant ai agent llm claude copilot',
  completion: 'autocomplete completions autocompletion tab',
  doctor:
    'health ping diagnose diagnostic bug problem troubleshoot cluster-info healthcheck status connection connectivity',
  demo: 'tutorial tour example sample quickstart walkthrough guide samples getting-started',
  init: 'login log-in sign-in refresh sign-in configure setup connect onboard authenticate authorize start begin',
  next: 'scheduled upcoming pending queue queued agenda tomorrow today soon due future outgoing planned tonight when',
  'sandbox subscriber':
    'contact customer audience member recipient lead prospect people person subscription profile',
  'sandbox list': 'audience contact-list mailing-list group recipient-list subscriber-list',
  'sandbox search': 'segment saved-search filter cohort query dynamic-list',
  'sandbox field':
    'attribute merge-field merge-tag custom-field property contact-field variable personalization',
  'sandbox sender':
    'domain sender-identity identity from-address dkim spf from sending-domain sender-address email-identity verified-sender',
  'sandbox credits': 'credit balance topup top-up funds',
  'sandbox event': 'webhook-event open click bounce complaint fixture trigger recipient-event',
  'sandbox clock': 'time clock test-clock date',
  'sandbox outbox':
    'inbox mailbox mail outgoing delivered received mailtrap mailhog mailpit message delivery webmail listen',
  'sandbox requests': 'request-log http-log traffic webhook calls',
  'sandbox queue': 'backlog worker',
  'sandbox fault': 'failure error chaos outage',
  'sandbox snapshot': 'checkpoint backup save',
  'sandbox token': 'control-token',
});

export const COMMAND_SYNONYMS: Synonyms = inWords({
  'task create': 'send schedule launch send-campaign send-email mail-send queue-send',
  'task report':
    'report stat statistic bounce-rate complaint-rate engagement opens clicks metric analytics result performance insight open-rate opened clicked',
  'task cancel': 'unschedule unsend recall',
  'task list': 'sent yesterday went',
  'log list': 'history',
  'task watch': 'progress',
  'sandbox event bounce': 'bounced',
  'task update': 'reschedule postpone',
  next: 'scheduled upcoming pending tomorrow today soon',
  'email proof': 'test-email send-test test-send send-test-email seed-test',
  'email preview': 'render',
  'sms send': 'text-message send-sms send-text send-message publish',
  'sms estimate': 'gsm',
  'dnc add': 'put-suppressed block suppress ban unsubscribe blacklist opt-out optout',
  'dnc remove': 'unblock unsuppress resubscribe whitelist allowlist reactivate',
  'dnc check': 'is-blocked blocked is-suppressed unsubscribed suppressed',
  'dnc list': 'blocked-contact blocked-domain blocked-address bounces unsubscribes suppressions',
  'account get': 'balance credit quota',
  usage: 'billing invoice',
  'user whoami': 'whoami me who-am-i caller-identity get-caller-identity myself current-user can-i',
  'profile use': 'use switch checkout use-context use-profile set-context switch-profile',
  'profile remove': 'logout signout sign-out log-out',
  'profile add': 'add-account new-profile',
  'profile show': 'current-context current',
  'sandbox clock advance': 'travel time-travel fast-forward',
  'sandbox start': 'serve server dev up',
  'sandbox stop': 'down shutdown',
  'sandbox open': 'dashboard browse console ui web',
  'sandbox outbox list': 'inbox mailbox listen',
  'automation pause': 'turn-off',
  'automation resume': 'turn-on',
  undo: 'revert rollback',
  'log show': 'commit',
});

export const FILE_KINDS: Readonly<Record<string, string>> = {
  yaml: 'campaign',
  yml: 'campaign',
  html: 'html',
  htm: 'html',
  mjml: 'html',
  csv: 'table',
  tsv: 'table',
  xlsx: 'table',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  svg: 'image',
  plan: 'plan',
  json: 'file',
  txt: 'file',
  eml: 'file',
};

export const COMMANDS_BY_FILE: Readonly<Record<string, readonly string[]>> = {
  campaign: ['plan make', 'rehearse', 'apply'],
  plan: ['plan show', 'approve', 'apply'],
  html: ['email lint', 'email create', 'email update'],
  table: ['sandbox subscriber import', 'dnc import', 'dnc diff', 'dnc check', 'company import', 'sms send'],
  file: [],
  image: [],
};

/** A recipe needs one word of each of its `words`. */
export interface Recipe {
  readonly words: readonly string[];
  /** Words that mean something else if they are on the command line. */
  readonly not?: string;
  readonly needs?: string;
  /** `{…}` is replaced by the typed argument of this kind. */
  readonly run: readonly string[];
  readonly says?: string;
}

const NO_SUBSCRIBERS = 'the HTTP API cannot import subscribers, but a sandbox can';

/** Words of a line that has "send" in it and means something else: a rule, a proof, a question. */
const NOT_A_SEND =
  'birthday anniversary welcome autoresponder abandoned follow-up followup reminder automatically how-many test proof wait until stop bounce never claude more copy trial preview compare who why did';

export const RECIPES: readonly Recipe[] = [
  // Campaign files
  {
    words: ['test check validate verify lint dry-run try simulate rehearse what-if proof preview spellcheck'],
    needs: 'campaign',
    run: ['rehearse {campaign}', 'plan {campaign} --check'],
  },
  {
    words: ['deploy apply run push ship release launch up send publish execute start create import schedule'],
    needs: 'campaign',
    run: ['plan {campaign}', 'apply {campaign}'],
  },
  {
    words: ['destroy delete rm remove down cancel stop'],
    needs: 'campaign',
    run: ['plan {campaign}', 'task list'],
    says: 'remove the items from the file, or cancel single tasks',
  },
  // Subscribers and other things that the interface does not have
  {
    words: ['import upload load bulk-import sync-contact add-contact'],
    needs: 'table',
    run: ['sandbox subscriber import {table}'],
    says: NO_SUBSCRIBERS,
  },
  {
    words: ['import upload bulk-import'],
    run: ['sandbox subscriber import FILE', 'email create --html-file FILE'],
    says: NO_SUBSCRIBERS,
  },
  {
    words: ['ab abtest ab-test a/b split-test splittest experiment variant variation multivariate'],
    run: ['task create --help', 'task report ID'],
    says: 'svc has no A/B tests; send two messages to two lists, and compare their reports',
  },
  {
    words: ['tag label'],
    run: ['subscriber-data list --help'],
    says: 'the service has no tags; the nearest are custom profile fields',
  },
  {
    words: ['webhook callback hook endpoint notification'],
    run: ['automation create --help'],
    says: 'a rule can notify an e-mail address, or a URL of inbound SMS',
  },
  {
    words: ['push-notification whatsapp voice call fax viber rcs telegram slack'],
    run: ['task create --help', 'sms send --help'],
    says: 'the service sends e-mail and SMS only',
  },
  {
    words: ['image asset media attachment picture'],
    run: ['email create --html-file FILE'],
    says: 'the service stores no files; a message links to images on a web server',
  },
  {
    words: ['warmup ip ips reputation deliverability dedicated-ip spam-score'],
    run: ['email lint ID', 'task report ID'],
    says: 'the HTTP API has no data about deliverability; these come nearest',
  },
  {
    words: ['recurring repeat cron rrule weekly daily'],
    run: ['explain campaign', 'automation create --help'],
    says: 'a task sends once; write several tasks in a campaign file, or let a rule act on a date',
  },
  {
    words: [],
    needs: 'image',
    run: ['email create --html-file FILE'],
    says: 'the service stores no files; a message links to images on a web server',
  },
  {
    words: ['upload import create new add use load push draft'],
    needs: 'html',
    run: ['email create --html-file {html}'],
  },
  {
    words: ['preview render open view show check validate test lint verify spellcheck'],
    needs: 'html',
    run: ['email lint --html-file {html}'],
  },
  {
    words: ['sms text send message publish msg create texting'],
    needs: 'phone',
    run: ['sms send --to {phone} --text {name}'],
  },
  {
    words: ['send transactional send-email mail-send compose deliver singlesend ses'],
    needs: 'address',
    run: ['email proof MESSAGE', 'task create'],
    says: 'the HTTP API sends e-mail to lists, not to single addresses',
  },
  {
    words: ['validate verify check valid lookup blocked unsubscribed suppressed exist'],
    needs: 'address',
    run: ['dnc check {address}'],
  },
  {
    words: ['validate verify check valid lookup', 'email address domain number mail'],
    needs: 'address',
    run: ['dnc check {address}'],
  },
  {
    words: ['get post put delete patch head curl request fetch http'],
    needs: 'path',
    run: ['api {method} {path}'],
  },
  // Words with several meanings
  {
    words: ['auth key api-key secret', 'token print reveal reset rotate'],
    run: ['profile show', 'profile add --help'],
    says: 'svc never prints a key',
  },
  { words: ['auth session account-login'], run: ['init', 'doctor', 'profile list'] },
  { words: ['open browse'], run: ['sandbox open', 'email preview ID --open'] },
  {
    words: ['trigger fire'],
    run: ['automation list', 'sandbox event --help'],
    says: 'a rule has a trigger, and in a sandbox you can act as a recipient',
  },
  { words: ['campaign'], run: ['task list', 'plan FILE', 'explain campaign'] },
  // Files without a word
  { words: [], needs: 'campaign', run: ['plan {campaign}', 'rehearse {campaign}'] },
  { words: [], needs: 'plan', run: ['plan show {plan}', 'approve {plan}'] },
  // Goals in a sentence
  {
    words: [
      'send mail give get text',
      'test proof copy sample trial',
      'me myself us copy message email sms newsletter campaign',
    ],
    run: ['email proof MESSAGE', 'sms-message proof MESSAGE'],
  },
  {
    words: [
      'text sms',
      'everyone everybody all customer people subscriber',
      'in to at tomorrow today list tonight later',
    ],
    not: 'how-many how-much cost who show',
    run: ['task create --channel sms --help'],
  },
  {
    words: [
      'wait until when',
      'finish finished done complete completed sent',
      'send task campaign sending it newsletter',
    ],
    run: ['task wait ID'],
  },
  {
    words: [
      'stop cancel abort pause protect if',
      'bounce complaint complain spam unsubscribe',
      'many much high too more rate',
    ],
    run: ['task guard ID --help'],
  },
  {
    words: [
      'never most max maximum limit at-most cap restrict',
      'send message email sms credit day hour week',
      'more than day hour week per a',
    ],
    not: 'from them him her',
    run: ['help budget'],
  },
  {
    words: ['run enough last', 'out credit credits month until'],
    not: 'command script loop all every each plan file campaign',
    run: ['forecast'],
  },
  {
    words: ['service server api system', 'up down running working alive healthy available reachable broken'],
    run: ['doctor'],
  },
  {
    words: ['connect link start begin add hook', 'account company credentials my'],
    not: 'list domain user',
    run: ['init', 'doctor'],
  },
  {
    words: [
      'approve approved sign signed agree agreed',
      'who did anybody anyone someone somebody whether has was is',
    ],
    run: ['audit --plans DIR', 'plan show PLAN'],
  },
  {
    words: [
      'see show look check preview what',
      'change changes happen different',
      'before without first apply applying deploying',
    ],
    run: ['plan FILE', 'rehearse FILE'],
  },
  {
    words: ['unlock unblock locked', 'user login teammate colleague account person'],
    run: ['why user ID', 'user list'],
  },
  {
    words: [
      'turn switch enable disable activate allow give',
      'on off feature sms email crm cms',
      'company account client for customer',
    ],
    run: ['features set --help'],
  },
  {
    words: [
      'same differ different difference compare equal alike drift baseline',
      'companies company clients client accounts setting feature setup set',
    ],
    run: ['features diff --help'],
  },
  {
    words: [
      'compare how-many how-much many much',
      'month week year quarter november december january february march april may june july august september october',
      'last send sent did with this previous used cost',
    ],
    run: ['usage', 'company list'],
  },
  {
    words: [
      'use connect let with set-up setup configure install login log',
      'claude assistant ai cursor copilot agent chatgpt llm mcp',
    ],
    run: ['agent setup --help', 'agent guide'],
  },
  {
    words: [
      'send schedule mail blast deliver write',
      'newsletter message campaign email mail offer announcement',
      'list audience everyone everybody all subscriber customer people',
    ],
    not: NOT_A_SEND,
    run: ['task create --help', 'email create --help'],
  },
  {
    words: [
      'send schedule',
      'message newsletter email sms',
      'tomorrow today tonight monday tuesday wednesday thursday friday saturday sunday later noon morning evening week',
    ],
    not: NOT_A_SEND,
    run: ['task create --help'],
  },
  {
    words: ['how did what', 'perform performed performance doing result went successful success'],
    run: ['task report ID'],
  },
  {
    words: ['compare versus vs better against', 'task campaign newsletter report result send mailing'],
    run: ['task report ID --compare ID'],
  },
  { words: ['compare versus vs'], needs: 'id', run: ['task report {id} --compare ID'] },
  {
    words: ['never no stop dont unsubscribe opt-out optout block'],
    not: 'remove allow unblock resubscribe delete from check is',
    needs: 'address',
    run: ['dnc add {address}'],
  },
  {
    words: ['never no stop dont block ban exclude'],
    not: 'remove allow unblock delete from check is',
    needs: 'domain',
    run: ['dnc add {domain}'],
  },
  {
    words: [
      'remove allow unblock delete take resubscribe',
      'contact dnc blocklist blacklist suppression blocked list',
    ],
    needs: 'address',
    run: ['dnc remove {address}'],
  },
  {
    words: [
      'never stop no dont block exclude ban',
      'again more contact email mail sms message anyone',
      'domain company address competitor person number customer',
    ],
    run: ['dnc add ADDRESS'],
  },
  {
    words: [
      'opted-out optout opt-out unsubscribed blocked suppression opted complained',
      'file csv upload import people load bulk everyone',
    ],
    run: ['dnc import FILE', 'dnc check FILE'],
  },
  {
    words: [
      'cost price expensive charge pay',
      'sms text message texting',
      'credit how how-many how-much much many what estimate this',
    ],
    run: ['sms estimate --help'],
  },
  {
    words: [
      'would happen without simulate pretend preview if',
      'sending send anything happen campaign apply real',
    ],
    run: ['rehearse FILE', 'sandbox start'],
  },
  {
    words: [
      'try play experiment practice practise learn safely safe test',
      'without real safely safe sandbox first production local locally actual',
    ],
    run: ['sandbox start', 'demo'],
  },
  {
    words: [
      'welcome birthday anniversary new automatic automatically autoresponder after when reminder follow-up followup abandoned',
      'email mail message sms subscriber send customer signup join clicks opens click open days',
    ],
    not: 'why who did how-many didnt stop pause off turn-off list show got cancel delete what happens',
    run: ['automation create --help', 'automation list'],
  },
  {
    words: ['who when what', 'changed change deleted edited modified created did cancelled paused'],
    run: ['log list'],
  },
  {
    words: [
      'how-many how-much many much what',
      'sent send used spent spend usage consumed',
      'month client company customer year week each per last',
    ],
    run: ['usage', 'company list'],
  },
  {
    words: [
      'all each every several many for',
      'companies company clients client customers accounts tenants',
      'run do this same command apply across loop',
    ],
    run: ['help companies', 'company list'],
  },
  {
    words: ['lock unlock suspend freeze disable', 'account company client customer'],
    run: ['features get', 'features set --help', 'why account'],
  },
  {
    words: ['reset forgot forgotten change new set lost', 'password'],
    run: ['user update ID --password-stdin'],
  },
  {
    words: [
      'back-up backup save store version put commit',
      'git everything file files account settings repository campaign campaigns message messages all our',
    ],
    run: ['export DIR'],
  },
  {
    words: [
      'undo take revert wrong mistake accidentally oops restore recover',
      'back last change deleted delete it that mistake import imported',
    ],
    run: ['undo', 'log list'],
  },
  {
    words: ['stop cancel abort halt prevent', 'send sending newsletter campaign mailing schedule scheduled'],
    run: ['task cancel ID'],
  },
  {
    words: [
      'move postpone delay reschedule later push earlier',
      'send newsletter campaign task mailing schedule sending',
    ],
    run: ['task update ID --at TIME'],
  },
  { words: ['enough left remaining last', 'credit credits balance money'], run: ['forecast', 'account get'] },
  {
    words: ['ci pipeline github gitlab actions'],
    run: ['help environment', 'plan FILE --check', 'apply PLAN'],
    says: 'docs/ci.md of the project has complete examples',
  },
  {
    words: ['alias shortcut macro'],
    run: ['help aliases'],
    says: 'svc has no aliases of your own; write a function or an alias of your shell',
  },
  {
    words: ['plugin plug-in extension addon add-on'],
    run: ['help commands'],
    says: 'svc has no plug-ins; run your program by its own name',
  },
  { words: ['state drift'], run: ['plan FILE', 'export DIR'] },
  { words: ['event'], run: ['log list', 'sandbox event --help'] },
  // Questions
  {
    words: [
      'how-many how-much many much who which how percentage share rate',
      'open opened click clicked read reacted bounced unsubscribed complained',
      'people person subscriber contact customer recipient user client one anyone',
    ],
    run: ['task report ID'],
  },
  {
    words: [
      'domain dkim spf dmarc sender from-address sending-domain',
      'verify verification add create authenticate setup set-up validate dns record',
    ],
    run: ['sandbox sender list'],
    says: 'the HTTP API has no sender domains; the web pages of the service have them',
  },
  {
    words: [
      'how-many how-much many much who which how percentage share rate',
      'open opened click clicked read reacted bounced unsubscribed complained',
    ],
    run: ['task report ID'],
  },
  {
    words: ['how-many many who member count size', 'list people subscriber contact audience person member'],
    run: ['sandbox subscriber list', 'task list'],
    says: 'the HTTP API does not say who is on a list; a task knows the number of its recipients',
  },
  {
    words: ['task campaign', 'proof test sendtest'],
    run: ['email proof MESSAGE', 'rehearse FILE'],
    says: 'a proof is a copy of a message; a rehearsal shows what a campaign file does',
  },
  { words: ['stop halt kill end'], run: ['task cancel ID', 'automation pause ID', 'sandbox stop'] },
  { words: ['who whoami', 'am i me'], run: ['user whoami'] },
  {
    words: ['how-many how-much many much left remaining have', 'credit balance quota money'],
    run: ['account get', 'forecast'],
  },
  { words: ['cost price expensive', 'sms text message'], run: ['sms estimate --help'] },
  { words: ['exit-code exit-codes exit-status status-code'], run: ['help exit-codes'] },
  { words: ['error http code subcode'], needs: 'id', run: ['explain {id}', 'help exit-codes'] },
  { words: ['budget budgets'], run: ['help budget'] },
  { words: ['timezone timezones time-zone tz time'], run: ['help time'] },
  { words: ['csv format formats tsv yaml output json'], run: ['help output'] },
  { words: ['env environment variables variable envvar'], run: ['help environment'] },
  {
    words: ['upgrade self-update update-cli'],
    run: ['--version'],
    says: 'install the new version the way you installed this one; to see the version',
  },
  {
    words: ['feedback issue bug-report support contact-support'],
    run: ['doctor'],
    says: 'report an issue to the person who gave you svc, with the output of this command',
  },
  {
    words: ['man manual topics commands command menu usage-help ? api-resource api-version resource nouns'],
    run: ['help commands'],
  },
];

/** The hint names a flag only if the command has it. */
export const FLAG_SYNONYMS: Synonyms = inWords({
  limit:
    'n max-items max-results max page-size per-page count top head first take num size-limit lines tail rows',
  all: 'all-pages paginate no-limit everything no-paginate a',
  output: 'format out-format output-format as',
  fields: 'select columns columns-only field attributes show properties props custom-columns cols pick',
  query: 'filter-output jmespath jsonpath template',
  sort: 'sort-by order-by order orderby sort-order',
  reverse: 'desc descending newest newest-first asc ascending latest',
  name: 'label display-name called n title contains grep search match',
  status: 'state phase',
  at: 'when schedule scheduled-at send-at date time on scheduled-time send-time datetime schedule-time run-at start',
  since: 'from after start start-date starting begin from-date newer-than created-after start-time',
  today: 'current now-today',
  message:
    'template template-id campaign body content mail email template-name text-body m message-name email-id creative',
  list: 'l audience to recipients group list-name segment contacts audience-id contact-list lists list-ids to-list',
  search: 'segment segment-id saved-search filter',
  channel: 'type kind via medium c transport',
  to: 'phone number recipient destination msisdn phone-number mobile recipients destination-number',
  text: 'body message content msg message-body sms-body',
  subject: 'title subject-line headline s',
  'from-name': 'from sender sender-name from-email',
  'reply-to': 'replyto reply reply-email reply-address',
  html: 'html-body body html-content content html-text',
  'html-file': 'file filename f template-file html-path body-file from-file path',
  'text-file': 'file txt-file plain-file plain txt text-part plain-text',
  data: 'f d body payload json-body cli-input-json input raw-field field filename file request-body data-raw data-binary from-file params',
  yes: 'auto-approve assume-yes no-confirm no-prompt non-interactive confirm approve yes-to-all',
  'no-input': 'batch unattended disable-prompt',
  'dry-run': 'simulate noop plan-only what-if check-only preview pretend test test-mode',
  profile: 'p context ctx use-profile project environment env workspace namespace ns account',
  company:
    'subaccount tenant org organization client account-sid on-behalf-of account account-id namespace customer customer-id tenant-id client-id n',
  companies:
    'all-companies all-accounts all-tenants all-namespaces all-clients all-customers accounts tenants clients each-company',
  'base-url': 'endpoint-url host url endpoint api-url server region base-uri api-base',
  debug: 'verbose v trace log-level http-log vv',
  quiet: 'silent s q',
  wide: 'no-truncate no-trunc full truncate no-wrap',
  'no-header': 'no-headers noheader without-header',
  timeout: 'cli-read-timeout max-time request-timeout wait-timeout',
  tz: 'timezone time-zone zone',
  key: 'idempotency-key idempotency client-token idempotent dedupe-key',
  out: 'output-file o file save-to out-file output-dir dir directory dest save-as',
  open: 'web browser w show-browser in-browser',
  follow: 'f watch tail w stream live',
  write: 'confirm-write commit for-real execute',
  kind: 'type trigger on event',
  action: 'do then actions',
  target: 'action-target to destination',
  after: 'delay wait in later',
  check: 'detailed-exitcode exit-code fail-on-changes verify fail-on-diff',
  set: 'var variable var-file param define e',
  compare: 'vs versus against with baseline other compare-with compare-to diff',
  weeks: 'month months days week',
  'text-from-html': 'auto-text auto-plain generate-text plain-from-html autotext',
  galinkdata: 'utm google-analytics analytics ga utm-source campaign-tracking',
  png: 'screenshot image picture png-file',
  'expect-size': 'size count expected expected-size expect recipients-count',
  hold: 'undo-window grace grace-period countdown',
  weekends: 'include-weekends skip-weekends business-days weekdays',
  'at-hour': 'hour send-hour at-time',
  'max-bounce': 'bounce-rate bounces bounce-limit max-bounces bounce max-bounce-rate bounce-threshold',
  'max-complaint':
    'complaint-rate complaints complaint-limit spam-rate max-complaints complaint spam complaint-threshold',
  'max-unsubscribe': 'unsubscribe-rate unsubscribes unsubscribe-limit unsubscribe optout-rate',
  detach: 'd background daemon daemonize bg in-background fork',
  port: 'p http-port listen-port bind',
  format: 'reporter report-format output-type report',
  strict: 'max-warnings fail-on-warnings warnings-as-errors error-on-warning werror fail-on-warning pedantic',
  interval: 'every poll-interval period refresh sleep frequency poll',
  until: 'to before end end-date ending by to-date older-than created-before end-time',
  signers: 'allowed-signers keys trusted-keys public-keys',
  identity: 'i key-file private-key ssh-key sign-with',
  expire: 'valid ttl expires',
  seed: 'random-seed random',
  audience: 'engagement open-rate behaviour behavior',
  clock: 'time fake-time',
  from: 'sender from-number originator source sender-id source-number sender-email from-email from-address',
  firstname: 'first-name first given-name givenname',
  lastname: 'last-name last surname family-name',
  username: 'login user-name user login-name',
  email: 'mail e-mail email-address address',
  paused: 'inactive disabled draft off',
  rate: 'throttle speed per-hour rate-limit throughput batch-size',
});

export const FLAG_ADVICE: Advice = {
  'immediately immediate instantly instant asap send-now right-away at-once':
    'to send at once has a flag of its own; see svc task create --help',
  'x request method': 'write the method first: svc api POST /v1/folder --data DATA',
  'page offset starting-after page-token next-token skip cursor continue':
    'write --limit n, or --all; svc requests as many pages as it needs',
  'watch w':
    'svc task watch ID shows the progress of a task; svc email lint --watch checks files each time you save them',
  'out output-file': 'write -o FORMAT, and redirect the output: > FILE',
  'filter selector label-selector where field-selector':
    'each filter has its own flag, such as --name; to filter the output, use --query',
  'generate-cli-skeleton skeleton example':
    'svc explain NOUN lists the fields; add --dry-run to see the request',
  template: 'write --query with a JMESPath expression, or pipe -o json into another program',
  'yaml yml table tsv ndjson jsonl': 'write -o {flag}',
  for: 'svc task wait ID waits until the task is completed or cancelled',
  region: 'write --base-url ADDRESS, or --profile NAME for a saved profile',
  version: 'run svc --version',
  'v verbose': 'to see the version, run svc --version; to trace requests, add --debug',
  rate: 'the rate of a task cannot change; cancel it, and create another with --rate',
  web: 'svc sandbox open shows the pages of a sandbox; svc email preview ID --open shows a message',
};

/** A key is `noun verb`. */
export const VERB_ADVICE: Advice = {
  'task delete, task rm, task remove, task destroy, task del': 'a task cannot be deleted',
  'sms delete, sms cancel, sms stop, sms rm, sms remove':
    'an SMS cannot be cancelled after svc has sent it to the service',
  'task pause, task suspend, task hold': 'a task cannot be paused',
  'sandbox restart': 'run svc sandbox stop, then svc sandbox start',
};

/** A hint names one of them only if the line has a word for exactly that, and no id that the command would ignore. */
export const REMOVES_OR_SENDS =
  /^(?:apply|undo|task (?:create|cancel|undo)|sms send|(?:email|sms-message) proof|automation (?:create|resume)|dnc (?:add|import)|features (?:set|apply)|sandbox (?:reset|snapshot restore)|.+ (?:delete|remove|revoke|clear))$/;

export const ABSENT: Advice = {
  'sandbox subscriber': 'subscribers',
  'sandbox list': 'lists of subscribers',
  'sandbox search': 'segments or saved searches',
  'sandbox field': 'definitions of profile fields',
  'sandbox sender': 'sender domains or addresses',
};

export const FILLERS: readonly string[] = [
  ...'core v1 v3 a an the my our your his her their to do does did done can'.split(' '),
  ...'cannot could would should will shall may how what which is are was were be been am it'.split(' '),
  ...'its this that these those for of in on with from at by and or please not any'.split(' '),
  ...'there want need let us we you i me go goes going out off then than if so'.split(' '),
  ...'all every each now just about into one some svc cli something thing things currently dont t s'.split(
    ' ',
  ),
  ...'re ve'.split(' '),
];
