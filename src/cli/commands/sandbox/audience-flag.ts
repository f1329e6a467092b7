/** Declares `--audience`, which sets the shares of simulated recipients who open, click, unsubscribe, complain or bounce. */
import {
  parseRecipientReactionShares,
  type RecipientReactionShares,
} from '../../../protocol/control/audience.ts';
import { parsedFlag } from '../../command/flag.ts';

/** Declares the flag `--audience`. @param defaultText the default audience, which help shows */
export const createAudienceFlag = (describe: string, defaultText: string) =>
  parsedFlag<RecipientReactionShares | undefined>(
    'audience',
    { describe, value: 'audience', defaultText },
    (text) => {
      const read = parseRecipientReactionShares(text);
      if ('shares' in read) return { value: read.shares };
      return {
        fault: {
          reason: 'is not a valid description of how many recipients react',
          sentence: read.fault,
          instead: read.instead,
        },
      };
    },
  );
