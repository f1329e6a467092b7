import { type AttributeWords, type Phrase, type Reason, sayReason } from '../../src/kit/schema/reason.ts';

interface Said {
  readonly reason: Reason;
  readonly instead?: string | Phrase | undefined;
}

/** Returns the finding with its reason and its advice in words. Default: the names of the interface. */
export const said = <F extends Said>(finding: F, words?: AttributeWords) => ({
  ...finding,
  reason: sayReason(finding.reason, words),
  ...(finding.instead === undefined ? {} : { instead: sayReason(finding.instead, words) }),
});
