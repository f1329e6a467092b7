/** Which account a write goes to, in words: in every question, and before a write that asks nothing. */
import type { AccountId } from '../../auth/credentials.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import { rosterOf } from '../../profiles/roster.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { bounded } from '../../text/bounded.ts';

export interface Whose {
  /** What the company is called in questions, all of it; undefined where that can't be had. One GET outside the roster. */
  readonly name: () => Promise<string | undefined>;
  /** `Harbour Coffee (company 100, profile prod)`. What a question has said is not announced again. */
  readonly words: () => Promise<string>;
  /**
   * Once: `on company 100 (Harbour Coffee), profile prod`. Of a partner profile always, whatever the flags (contract,
   * "Partners and many companies"); otherwise where a person looks, and elsewhere nothing is asked.
   */
  readonly announce: (write?: AnnouncedWrite) => Promise<void>;
}

export interface AnnouncedWrite {
  /** It names no company: a partner makes an account. */
  readonly withoutCompany?: boolean;
}

interface Outside {
  /** Whether stderr is a terminal. */
  readonly isWatched: boolean;
  readonly isDryRun: boolean;
  readonly resolved: () => Promise<Pick<Resolved, 'credentials' | 'profile'>>;
  /** The account's record. */
  readonly account: () => Promise<JsonObject>;
  readonly info: (line: string) => Promise<void>;
  /** A line on stderr, with `--quiet` too. */
  readonly warn: (line: string) => Promise<void>;
}

const LONGEST_NAME = 40;

export function createWhose(outside: Outside): Whose {
  const { isWatched, isDryRun, resolved, account, info, warn } = outside;
  let isAsked = false;
  const said = new Set<string>();
  /** What it is called: as the profile knows it, or asked for; never in the way of what is to be done. */
  const nameOf = async (id: AccountId): Promise<string | undefined> => {
    const known = rosterOf((await resolved()).profile ?? {}).find((each) => each.id === id);
    if (known !== undefined) return known.name;
    try {
      const { name } = await account();
      return typeof name === 'string' && name.trim() !== '' ? name : undefined;
    } catch {
      return undefined;
    }
  };
  const partsOf = async ({ withoutCompany = false }: AnnouncedWrite = {}) => {
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
      if (isDryRun || said.has(about)) return;
      const { credentials, profile } = await resolved();
      const isPromised = credentials.kind === 'partner' && profile !== undefined;
      if (!isPromised && (isAsked || !isWatched)) return;
      said.add(about);
      const { id, name, from } = await partsOf(write);
      const line = `on ${id}${name === undefined ? '' : ` (${name})`}, ${from}`;
      // That nobody can read it must not stop the work.
      await (isPromised ? warn(line).catch(() => undefined) : info(line));
    },
  };
}

const shortened = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : bounded(name, LONGEST_NAME);
