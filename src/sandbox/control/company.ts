/** Operations on companies, their keys and credits, and the folders that their users may see. */
import { invalid, notFound } from '../../protocol/service-errors.ts';
import { hasFolder, listCompanies, setFolderAccess } from '../store/control.ts';
import { userOf } from '../store/identity.ts';
import { updateRow } from '../store/rows.ts';
import type { OperationsOf } from './operation.ts';

export const companyOperations = {
  'company list': async ({ service }) =>
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
  'company key': async ({ service }, { id }) => {
    const company = (await listCompanies(service.store.db)).find((each) => each.id === id);
    if (!company) throw notFound(`Company ${id}`);
    const { name, api_key: apiKey, adminUserId } = company;
    return { id, name, apiKey, adminUserId };
  },
  'credits set': async ({ db, account }, { email, sms }) => {
    if (email === undefined && sms === undefined)
      throw invalid([{ attribute: 'email', reason: 'or sms is required' }]);
    const balance = {
      emailcreditbalance: email ?? account.emailcreditbalance,
      smscreditbalance: sms ?? account.smscreditbalance,
    };
    await updateRow(db, 'account', account.id, balance);
    return { id: account.id, ...balance };
  },
  /** Restricts a user to these folders. Without folders, the user sees all folders again. */
  'user restrict': async ({ db, account }, { id, folders }) => {
    const user = await userOf(db, account.id, id);
    if (!user) throw notFound(`User ${id}`);
    if (user.isadmin === 1) throw invalid([{ attribute: 'id', reason: 'is the admin, who sees everything' }]);
    for (const folderId of folders)
      if (!(await hasFolder(db, account.id, folderId))) throw notFound(`Folder ${folderId}`);
    await setFolderAccess(db, id, folders);
    return { id, username: user.username, folders: [...folders] };
  },
} satisfies OperationsOf<'company' | 'credits' | 'user'>;
