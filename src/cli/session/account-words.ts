/** Every confirmation names it, and svc prints it before other writes. */

import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import { companiesOfProfile } from '../../client/profiles/roster.ts';
import { truncateText } from '../../kit/text/words.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { AccountRecord } from '../../service/resources/account.ts';

export interface AccountLabel {
  /** Sends one GET if the roster lacks the name. */
  readonly name: () => Promise<string | undefined>;
  /**
   * Returns the account as text: `Harbour Coffee (company 100, profile prod)`. The caller must show it to the user, because `announce`
   * then prints the account only with a partner profile.
   */
  readonly words: () => Promise<string>;
  /**
   * Prints the account even with `--quiet` and without a terminal for a partner profile (contract, "Partners and many companies").
   * Otherwise, prints it only if stderr is a terminal and `--quiet` is not set.
   */
  readonly announce: (write?: AccountAnnouncementOptions) => Promise<void>;
}

export interface AccountAnnouncementOptions {
  /** True for a write that concerns no company, such as a partner's new account. */
  readonly withoutCompany?: boolean;
}

const MAX_NAME_LENGTH = 40;

export function createAccountLabel(parts: {
  /** True if a person can see the line that `announce` prints: stderr is a terminal, and `--quiet` is not set. */
  readonly isWatched: boolean;
  readonly isSilent: boolean;
  readonly resolved: () => Promise<Pick<ResolvedCredentials, 'credentials' | 'profile'>>;
  readonly account: () => Promise<AccountRecord>;
  readonly info: (line: string) => Promise<void>;
  readonly warn: (line: string) => Promise<void>;
}): AccountLabel {
  const { isWatched, isSilent, resolved, account, info, warn } = parts;
  let isAsked = false;
  const said = new Set<string>();
  /** Returns undefined if the name is empty or the request fails. */
  const nameOf = async (id: AccountId): Promise<string | undefined> => {
    const known = companiesOfProfile((await resolved()).profile ?? {}).find((each) => each.id === id);
    if (known !== undefined) return known.name;
    try {
      const { name } = await account();
      return typeof name === 'string' && name.trim() !== '' ? name : undefined;
    } catch {
      return undefined;
    }
  };
  const partsOf = async ({ withoutCompany = false }: AccountAnnouncementOptions = {}) => {
    const { credentials, profile } = await resolved();
    const { kind, companyId } = credentials;
    const from = profile === undefined ? 'from the environment' : `profile ${profile.name}`;
    if (companyId !== undefined && !withoutCompany)
      return { id: `company ${companyId}`, name: shortened(await nameOf(companyId)), from };
    return { id: kind === 'partner' ? `partner ${credentials.partnerId}` : kind, name: undefined, from };
  };
  return {
    name: async () => {
      const { companyId } = (await resolved()).credentials;
      return companyId === undefined ? undefined : nameOf(companyId);
    },
    words: async () => {
      isAsked = true;
      const { id, name, from } = await partsOf();
      return name === undefined ? `${id} (${from})` : `${name} (${id}, ${from})`;
    },
    announce: async (write = {}) => {
      const about = write.withoutCompany ? 'partner' : 'company';
      if (isSilent || said.has(about)) return;
      const { credentials, profile } = await resolved();
      const isPromised = credentials.kind === 'partner' && profile !== undefined;
      if (!isPromised && (isAsked || !isWatched)) return;
      said.add(about);
      const { id, name, from } = await partsOf(write);
      const line = `on ${id}${name === undefined ? '' : ` (${name})`}, ${from}`;
      // An unreadable stderr must not stop the work.
      await (isPromised ? warn(line).catch(() => undefined) : info(line));
    },
  };
}

const shortened = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : truncateText(name, MAX_NAME_LENGTH);
