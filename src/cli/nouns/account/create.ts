import type { AccountId } from '../../../auth/credentials.ts';
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { account } from '../../../resources/account.ts';
import { user } from '../../../resources/user.ts';
import { readIdText } from '../../../schema/integer.ts';
import type { Values } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { finishRequestBody, readBody } from '../../request/body.ts';
import { readRecordId } from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';
import { createVerbToCreateRecord, sendCreateRequest } from '../generic/create.ts';
import { firstUserFlags, prepareFirstUserValues } from './first-user.ts';

const generic = createVerbToCreateRecord(account);

/**
 * Declares `account create`, which also adds the company to the roster and creates the company's first user. The roster is the list of
 * companies that a partner profile stores (contract, "Partners and many companies").
 */
export const accountCreate: Verb = {
  ...generic,
  about:
    'Also adds the new company to the company list of your profile. The first user of a company must be its admin. On a terminal, svc asks for the details of that user. Without a terminal, use the --admin-… flags, or run svc user create --isadmin later',
  flags: [...generic.flags, ...firstUserFlags],
  companies: undefined,
  needsNoCompany: true,
  run: async (session, input) => {
    const draft = await readBody(session, account, 'POST', input);
    const body = await finishRequestBody(session, account, 'POST', draft);
    const firstUser = await prepareFirstUserValues(session, input);
    const record = await sendCreateRequest(session, account, body);
    const id = readIdText(String(readRecordId(record))) ?? 0;
    await addToRoster(session, id, record);
    await makeUser(session, id, () => firstUser.readValues(titleOfCompany(id, record)));
    return createOutcomeFromRecord(account, record);
  },
};

const titleOfCompany = (id: AccountId, { name }: JsonObject): string => `company ${id} (${String(name)})`;

/**
 * Adds the new company to the roster, the list of companies that a partner profile stores. If svc can't write the roster, svc only prints a
 * warning, because the account already exists.
 */
async function addToRoster(session: Session, id: AccountId, record: JsonObject): Promise<void> {
  const [{ withProfileCompanies }, { isAccountId }] = await Promise.all([
    import('../../../profiles/roster.ts'),
    import('../../../profiles/errors.ts'),
  ]);
  const { profile } = await session.resolved();
  if (profile === undefined || !isAccountId(id)) return;
  const title = titleOfCompany(id, record);
  try {
    const company = { id, name: String(record['name']), tags: [], note: null };
    const words = `add ${title} to the company list of profile ${profile.name}`;
    await (await session.store()).change(profile.name, words, (each) =>
      withProfileCompanies(each, [company]),
    );
    await session.info(`added ${title} to the company list of profile ${profile.name}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await session.warn(
      `created ${title}, but cannot add it to the company list of the profile: ${why}; to add it, run svc company add ${id}`,
    );
  }
}

async function makeUser(
  session: Session,
  company: AccountId,
  ask: () => Promise<Values | undefined>,
): Promise<void> {
  const later = `run svc user create --company ${company} --isadmin … to create its first user`;
  try {
    const values = await ask();
    if (values === undefined) return session.info(later);
    const client = await session.actingFor(company).client();
    await session.info(`created ${titleOf(user, await client.create(user, values))}, the admin`);
  } catch (error) {
    await session.warn(`created company ${company}, but not its first user: ${later}`).catch(() => undefined);
    throw error;
  }
}
