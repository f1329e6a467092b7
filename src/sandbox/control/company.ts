/** Companies, their keys, credits, and what their users may see. */
import { invalid, notFound } from '../../protocol/faults.ts';
import { hasFolder, listCompanies, setFolderAccess } from '../store/control.ts';
import { userOf } from '../store/identity.ts';
import { updateRow } from '../store/rows.ts';
import { id, ids, number, optional } from './arguments.ts';
import { type Operations, ofCompany, ofSandbox } from './operation.ts';

const CREDITS = { least: 0, most: 1_000_000_000 };
const credits = (args: Readonly<Record<string, unknown>>, name: string) => number(args, name, CREDITS);

export const companyOperations: Operations = {
  'company list': ofSandbox(async ({ service }) =>
    (await listCompanies(service.store.db)).map((company) => ({
      id: company.id,
      name: company.name,
      partner_id: company.partner_id,
      adminUserId: company.adminUserId,
      timezone: company.timezone,
      locked: company.locked === 1,
      emailcreditbalance: company.emailcreditbalance,
      smscreditbalance: company.smscreditbalance,
    })),
  ),
  'company key': ofSandbox(async ({ service }, args) => {
    const wanted = id(args, 'id');
    const company = (await listCompanies(service.store.db)).find((each) => each.id === wanted);
    if (!company) throw notFound(`Company ${wanted}`);
    const { name, api_key: apiKey, adminUserId } = company;
    return { id: wanted, name, apiKey, adminUserId };
  }),
  'credits set': ofCompany(async ({ db, account }, args) => {
    const email = optional(args, 'email', credits);
    const sms = optional(args, 'sms', credits);
    if (email === undefined && sms === undefined)
      throw invalid([{ attribute: 'email', reason: 'or sms is required' }]);
    const balance = {
      emailcreditbalance: email ?? account.emailcreditbalance,
      smscreditbalance: sms ?? account.smscreditbalance,
    };
    await updateRow(db, 'account', account.id, balance);
    return { id: account.id, ...balance };
  }),
  /** Without folders the user sees all of them again. */
  'user restrict': ofCompany(async ({ db, account }, args) => {
    const userId = id(args, 'id');
    const folders = ids(args, 'folders');
    const user = await userOf(db, account.id, userId);
    if (!user) throw notFound(`User ${userId}`);
    if (user.isadmin === 1) throw invalid([{ attribute: 'id', reason: 'is the admin, who sees everything' }]);
    for (const folderId of folders)
      if (!(await hasFolder(db, account.id, folderId))) throw notFound(`Folder ${folderId}`);
    await setFolderAccess(db, userId, folders);
    return { id: userId, username: user.username, folders: [...folders] };
  }),
};
