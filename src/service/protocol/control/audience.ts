/**
 * Reads audiences. An audience is the share of recipients for each reaction (open, click, unsubscribe, complain, bounce), or a word for
 * such shares: `lively`.
 */
import { readPercent } from '../../../kit/schema/parameter.ts';

export const RECIPIENT_REACTIONS = ['open', 'click', 'unsubscribe', 'complaint', 'bounce'] as const;
export type RecipientReaction = (typeof RECIPIENT_REACTIONS)[number];

/** Share of the recipients for each reaction, from 0 to 1. */
export type RecipientReactionShares = Readonly<Record<RecipientReaction, number>>;

/**
 * Simulated recipients of tasks. The shares determine how many recipients react, and the seed determines which ones, and when. With the
 * same shares, seed and number of recipients, the reactions are the same.
 */
export interface SimulatedRecipientSettings {
  readonly shares: RecipientReactionShares;
  readonly seed: number;
  /** Ids of subscribers who do not react by themselves. Default: none. */
  readonly silent?: ReadonlySet<number>;
}

/** Names of the reactions in `opens=30%,clicks=4%`, and in the JSON output of a rehearsal. */
export const PLURAL_NAMES_OF_REACTIONS: Readonly<Record<RecipientReaction, string>> = {
  open: 'opens',
  click: 'clicks',
  unsubscribe: 'unsubscribes',
  complaint: 'complaints',
  bounce: 'bounces',
};

const NOBODY: RecipientReactionShares = { open: 0, click: 0, unsubscribe: 0, complaint: 0, bounce: 0 };

/**
 * Meaning of the three words for an audience: for each word, the share of recipients with each reaction, such as open or click. A user can
 * write `lively` instead of a percentage for each reaction.
 */
export const REACTION_SHARE_PRESETS: Readonly<Record<'lively' | 'quiet' | 'none', RecipientReactionShares>> =
  {
    lively: { open: 0.35, click: 0.08, unsubscribe: 0.004, complaint: 0.0005, bounce: 0.015 },
    quiet: { open: 0.15, click: 0.015, unsubscribe: 0.002, complaint: 0.0002, bounce: 0.01 },
    none: NOBODY,
  };

/** Highest value of the seed of `SimulatedRecipientSettings`. The seed determines which recipients react, and when. */
export const MAX_SIMULATED_RECIPIENTS_SEED = 2_147_483_647;

/** Returns the shares by the names of `PLURAL_NAMES_OF_REACTIONS`, for JSON. */
export const nameReactionShares = (shares: RecipientReactionShares): Readonly<Record<string, number>> =>
  Object.fromEntries(RECIPIENT_REACTIONS.map((each) => [PLURAL_NAMES_OF_REACTIONS[each], shares[each]]));

/**
 * Result of reading a text such as `opens=30%`: the share of recipients for each reaction. If the text is not valid, the fault and advice
 * on what to write instead.
 */
type ParsedRecipientReactionShares =
  | { readonly shares: RecipientReactionShares }
  | { readonly fault: string; readonly instead: string };

/** Reads `lively`, `quiet`, `none`, or shares such as `opens=30%,clicks=4%`. Reactions that are not named are 0. */
export function parseRecipientReactionShares(text: string): ParsedRecipientReactionShares {
  const word = text.trim().toLowerCase();
  if (isAudienceName(word)) return { shares: REACTION_SHARE_PRESETS[word] };
  if (!word.includes('='))
    return {
      fault: `"${text}" is not a valid description of how many recipients react`,
      instead:
        'write lively (many reactions), quiet (few reactions), none, or shares such as opens=30%,clicks=4%',
    };
  const shares: Record<RecipientReaction, number> = { ...NOBODY };
  const seen = new Set<RecipientReaction>();
  for (const part of word.split(',')) {
    const [name = '', value = ''] = part.split('=').map((each) => each.trim());
    const reaction = RECIPIENT_REACTIONS.find((each) => PLURAL_NAMES_OF_REACTIONS[each] === name);
    if (reaction === undefined)
      return {
        fault: `"${name}" is not a reaction such as opens or clicks`,
        instead: `name ${Object.values(PLURAL_NAMES_OF_REACTIONS).join(', ')}`,
      };
    if (seen.has(reaction)) return { fault: `${name} is given twice`, instead: 'name each reaction once' };
    seen.add(reaction);
    const share = readPercent(value);
    if (share === undefined)
      return {
        fault: `${name}: "${value}" is not a percentage from 0% to 100%`,
        instead: `write ${name}=30%`,
      };
    shares[reaction] = share;
  }
  const fault = shareFault(shares);
  return fault === undefined ? { shares } : { fault, instead: 'give smaller shares' };
}

const isAudienceName = (word: string): word is keyof typeof REACTION_SHARE_PRESETS =>
  Object.hasOwn(REACTION_SHARE_PRESETS, word);

/** Returns why the shares contradict each other, or undefined. For example, a message that bounced can't be opened. */
function shareFault(shares: RecipientReactionShares): string | undefined {
  const most = RECIPIENT_REACTIONS.filter((each) => each !== 'bounce').reduce((a, b) =>
    shares[b] > shares[a] ? b : a,
  );
  if (shares[most] + shares.bounce <= 1 + 1e-9) return undefined;
  return `${PLURAL_NAMES_OF_REACTIONS[most]} and bounces together exceed 100%, but a bounced message cannot be opened`;
}
