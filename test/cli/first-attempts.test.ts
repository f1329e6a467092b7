/**
 * The first commands of people with the habits of gh, stripe, resend, aws, kubectl and terraform. Each line works as
 * intended, or its hint says what to type (contract: "Where this page is silent, the command line does what a user of
 * `gh`, `aws` or `kubectl` would expect").
 */
import { describe, expect, it } from 'vitest';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';

/** The typed line, and a regular expression for the output or hint that shows that svc understood it. */
type Row = readonly [typed: string, understood: RegExp];

const ROWS: readonly Row[] = [
  // gh
  ['auth login', /profile default|checked/],
  ['auth status', /KEY|CHECK|doctor|profile/i],
  ['task view 1', /ATTRIBUTE|"id"|^id/m],
  ['folder edit 1 --name X', /updated|folder 1|X/],
  ['task list --json id,name', /"name"/],
  ['task list --jq .[0].id', /^[0-9]+$/m],
  ['task list -L 5', /NAME|name/],
  ['api /v1/folder', /"response"|News/],
  ['browse', /sandbox open|email preview/],
  ['task get 1 --json id', /^\{\n? *"id": ?[0-9]+\n?\}$/m],
  ['task get 1 --json name', /"name"/],
  // stripe
  ['login', /profile default/],
  ['status', /CHECK|doctor/i],
  ['version', /^[0-9]+\.[0-9]+/m],
  ['version --json', /"version": "[0-9]/],
  ['open', /sandbox open/],
  ['logs tail', /svc log tail|^\s*$/],
  ['trigger', /sandbox event/],
  ['listen', /sandbox outbox/],
  ['config --list', /profile|NAME/i],
  // resend
  ['whoami', /username|admin/],
  ['emails list', /NAME|name|Message/],
  ['broadcasts', /task list/],
  ['contacts', /dnc list|subscriber/],
  ['task list -q', /NAME|name|Task|^$/],
  ['auth switch', /profile use/],
  // aws
  ['configure', /profile default/],
  ['task list --output text', /-o|table|tsv/],
  ['task help', /Usage: svc task/],
  ['help task create', /Usage: svc task create/],
  ['task list --max-items 5', /--limit/],
  // kubectl
  ['get task 1', /ATTRIBUTE|^id/m],
  ['get tasks', /NAME/],
  ['get folders', /NAME/],
  ['delete folder 1', /delete folder 1|--yes/],
  ['describe task 1', /ATTRIBUTE|^id/m],
  ['config use-context prod', /prod/],
  ['task list -o=json', /"name"/],
  ['task list -o wide', /NAME/],
  ['task watch 1 -w', /task watch/],
  ['task create --dry-run=client --name x', /--channel|--message/],
  ['apply -f file.yaml', /svc apply file.yaml/],
  // everyone
  ['folder ls', /NAME/],
  ['folder rm 1', /delete folder 1|--yes/],
  ['folder show 1', /ATTRIBUTE/],
  ['task cancel 1 -y', /cancel/],
  ['-v', /^[0-9]+\.[0-9]+/m],
  ['folder list --format json', /"name"|-o json/],
  ['folders list', /NAME/],
  ['folder create New', /--name New/],
  // lines that used to have an empty hint
  ['ls', /svc task list|svc folder list/],
  ['schedule', /svc task create/],
  ['stats', /svc task report/],
  ['cancel 5', /svc task cancel 5/],
  ['start', /svc sandbox start/],
  ['stop', /svc sandbox stop/],
  ['diff F', /svc plan F/],
  ['state list', /svc plan|svc export/],
  ['events', /svc log list|sandbox event/],
  ['webhooks', /notifyurl|svc automation/],
  ['dashboard', /svc sandbox open/],
  ['switch prod', /svc profile use prod|prod/],
  ['env', /svc help environment/],
  ['balance', /svc account get/],
  ['credits', /svc account get/],
  ['template list', /svc email list/],
  ['workflow', /svc automation list/],
  ['search', /svc sandbox search|--search/],
  ['me', /svc user whoami/],
  ['suppress x', /svc dnc add/],
  ['unsubscribe add x', /svc dnc add/],
  ['blocklist', /svc dnc list/],
  ['upgrade', /npm|install/i],
  ['tutorial', /svc demo/],
  ['quickstart', /svc demo/],
  ['examples', /svc demo|svc help/],
  ['feedback', /README|issue|svc --help/i],
  ['report 5', /svc task report 5|task 5/],
  ['update', /svc <noun> update|svc email update|svc task update/],
  ['man', /svc help|--help/],
  ['docs', /svc help|svc explain/],
  ['task list --page 2', /--limit|--all/],
  ['email test 6', /svc email proof 6/],
  ['email send 6 --to me@example.com', /svc email proof 6/],
  ['sandbox logs', /svc sandbox outbox list|svc sandbox log list|svc sandbox requests/],
  ['plan -out x.plan', /--out x\.plan|--out/],
  ['apply -auto-approve', /--yes/],
  ['task list --sort -name', /--sort name --reverse/],
  ['task list -n 3', /write --limit 3/],
  ['task list --watch', /task watch/],
  ['task list --status scheduled', /STATUS|NAME|No task/i],
  ['sms send 447700900001 hi', /--to 447700900001/],
  ['dnc export out.csv --dry-run', /write out\.csv/],
  ['plan -out x.plan', /write --out FILE/],
  ['task list -out x', /> FILE/],
  ['outbox', /svc sandbox outbox/],
  ['clock', /svc sandbox clock/],
  ['requests', /svc sandbox requests/],
  ['snapshot', /svc sandbox snapshot/],
  ['automation create click', /svc automation create --kind click/],
  ['sandbox up', /svc sandbox start/],
  ['sandbox ps', /svc sandbox status/],
  ['config set output json', /svc profile set .* output json/],
  ['campaign', /svc plan FILE/],
  ['send', /task create/],
  ['test 6', /svc email proof 6/],
  ['preview 6', /email preview|ATTRIBUTE|Message|not found/],
  // Lines that already worked well.
  ['tasks', /NAME/],
  ['task show 1', /ATTRIBUTE/],
  ['delete task 5', /svc task cancel/],
  ['create task --name x', /--channel|--message/],
  ['config', /profile/],
  ['rules', /NAME/],
  ['automations list', /NAME/],
  ['help create task', /Usage: svc task create/],
  ['-L 3', /svc --help|flag/],
  ['task list -ojson', /"name"/],
  ['task list --query [0].id', /^[0-9]+$/m],
  ['task list foo', /--name foo/],
  ['task list --lmit 3', /--limit/],
  ['taks list', /task/],
  ['task rm 1', /svc task cancel/],
  ['folder create -f x.json', /--data/],
  ['lists', /sandbox list list/],
  ['message list', /email list/],
  ['logout', /profile remove/],
  ['user me', /whoami/],
  ['dnc delete x@example.com', /remove|--yes/],
  ['email ls', /NAME/],
  ['email new --name x', /--subject|--html/],
  ['automation disable click:1', /pause|paused/],
  ['automation list --kind click', /NAME/],
  ['task describe 1', /ATTRIBUTE/],
  ['help', /demo/],
  ['--help', /demo/],
  ['get email 1', /ATTRIBUTE/],
  ['get rules', /NAME/],
  ['get dnc', /give an address/],
  ['list tasks', /NAME/],
  ['create folder --name Y', /Y/],
  ['export', /svc export DIR|dnc export|DIR/],
  ['import', /sandbox subscriber import/],
  ['undo', /undo|journal/],
  ['log', /TIME|No|journal|log/i],
  ['apply', /FILE|PLAN|plan/],
  ['init --help', /Usage: svc init/],
  ['subscribers', /subscriber/],
  ['unsubscribe x@example.com', /svc dnc add x@example\.com/],
];

const STANDARD = 120 / 131;

describe('a first attempt', () => {
  const results: { readonly typed: string; readonly isUnderstood: boolean; readonly said: string }[] = [];

  it('has as many rows as the list of first attempts', () => expect(ROWS.length).toBeGreaterThanOrEqual(131));

  it.each(ROWS)('%s', async (typed, understood) => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(typed.split(' '), { transport });
    const said = `${run.stdout}\n${run.stderr}`;
    results.push({ typed, isUnderstood: understood.test(said), said });
    // No attempt ends with the general hint.
    expect(said).not.toContain('Hint: svc --help shows the commands');
    if (/did you mean (?!svc help)/.test(said)) expect(understood.test(said), said).toBe(true);
  });

  it('works, or names the right command, in at least 120 of 131 cases', () => {
    const missed = results.filter(({ isUnderstood }) => !isUnderstood);
    const shown = missed.map(({ typed, said }) => `${typed}: ${said.trim().slice(0, 200)}`).join('\n\n');
    expect(1 - missed.length / results.length, shown).toBeGreaterThanOrEqual(STANDARD);
  });
});
