/**
 * Says what an assistant can do after a call, in fixed texts that it can trust. An assistant gets the suggestions of an error but not its
 * hints, which name commands of a shell.
 */
import { isObject } from '../../../kit/text/json-object.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { ToolResult } from './page.ts';

const NEXT_BY_EXIT: Readonly<Record<number, string>> = {
  [EXIT.failed]: 'Call the tool again once. If it fails again, tell the person what failed.',
  [EXIT.denied]:
    'Tell the person that the service refuses the key or the user of this profile. No tool can change that.',
  [EXIT.notFound]: 'Call list_records to find the id, then call this tool again.',
  [EXIT.conflict]: 'Call why_locked to see what prevents this, and until when.',
  [EXIT.invalid]: 'Correct the arguments. The tool explain describes each resource and field.',
  [EXIT.unreachable]: 'The service cannot be reached. Wait a minute, then call the tool again.',
  [EXIT.partial]: 'Read the results: some succeeded. Call the tool again for the others.',
  [EXIT.throttled]: 'The service limits requests. Wait a minute, then call the tool again.',
  [EXIT.unknown]: 'Call list_records to see whether the change was made before you try again.',
  [EXIT.interrupted]: 'Request less: a smaller limit, one part, or a shorter period.',
};

const APPROVAL =
  'A person must read the plan and run approve.command in their own shell. No tool can approve it.';
const UNREADABLE = 'Call plan with out, and ask a person to approve that plan. apply takes no other file.';
const NEW_PLAN =
  'Call plan again, with out, and ask a person to approve the new plan. The old one no longer fits the account.';

/** Failures of these tools mean something else. The keys are exit codes, or kinds of error. */
const NEXT_BY_TOOL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apply: {
    refused: APPROVAL,
    [EXIT.conflict]: NEW_PLAN,
    [EXIT.unknown]: 'Call apply again with the same plan. It continues, and sends nothing twice.',
    [EXIT.failed]: 'Call apply again with the same plan. It continues, and sends nothing twice.',
  },
  plan: { [EXIT.conflict]: 'Read the steps whose action is blocked, and correct the campaign file.' },
  draft_campaign: {
    [EXIT.unmet]:
      'Correct the findings of severity error, then call draft_campaign again with replace: true. Call explain with what: campaign for the format.',
  },
  lint: { [EXIT.unmet]: 'Correct the findings of severity error, then call lint again.' },
  rehearse: { [EXIT.unmet]: 'Correct the findings of severity error, then call rehearse again.' },
  forecast: {
    [EXIT.unmet]: 'Tell the person that the credits do not suffice, and which task is the first without.',
  },
  rule_graph: {
    [EXIT.unmet]: 'Tell the person which rules form a loop, and that pausing one of them ends it.',
  },
};

/** The help of their commands does not explain their arguments. */
const OWN_ARGUMENTS = ['explain', 'draft_campaign'];

/** @param command undefined if the call did not get that far @param isSaved the call has a plan that a person can approve */
export function nextStep(
  tool: string,
  command: readonly string[] | undefined,
  { ok, exit, kind, more, result }: ToolResult,
  isSaved: boolean,
): string | undefined {
  if (ok) {
    if (more !== undefined) return 'To read a whole list, call the tool again with the argument part.';
    if (tool === 'draft_campaign') return 'Call plan with out, to save a plan that a person can approve.';
    if (tool === 'review_plan') return `Show the page to the person. ${APPROVAL}`;
    return tool === 'plan' && isObject(result) ? afterPlan(result, isSaved) : undefined;
  }
  if (tool === 'apply' && kind === 'refused' && !isSaved) return UNREADABLE;
  const own = NEXT_BY_TOOL[tool] ?? {};
  const fixed = own[String(kind)] ?? own[String(exit)] ?? NEXT_BY_EXIT[exit];
  if (exit !== EXIT.usage || own[String(kind)] !== undefined) return fixed;
  return command === undefined || OWN_ARGUMENTS.includes(tool)
    ? 'Correct the arguments, then call the tool again.'
    : `Correct the arguments, then call the tool again. Call explain with command: ${command.join(' ')} to see what they mean.`;
}

const afterPlan = ({ passed }: { readonly passed?: unknown }, isSaved: boolean): string => {
  if (passed === false)
    return 'Correct the findings and blocked steps in the campaign file, then call plan again.';
  return isSaved
    ? `Call rehearse with the plan to see what will happen. ${APPROVAL}`
    : 'Call plan with out to save the plan for approval, then rehearse to see what will happen.';
};
