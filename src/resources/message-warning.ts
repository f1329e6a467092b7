import type { DeleteWarning } from '../schema/resource.ts';

/** Warning before a message is deleted. Interface, "emailMessage" and "smsMessage": deleting one cancels no task. */
export const messageWarning: DeleteWarning<'used'> = {
  about: 'Tasks that send it are not cancelled: cancel them first',
  consequence: ({ used }) => (used === true ? ', whose tasks are not cancelled' : ''),
};
