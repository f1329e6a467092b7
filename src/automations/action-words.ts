/** Describes the action of a rule in words. */

/**
 * Returns the description of an action.
 * @param target the rule's `actiontarget`, or the attribute that holds the target of an sms rule's action
 */
export function actionWords(action: string, target: string): string {
  switch (action) {
    case 'addtolist':
      return `add to list ${target}`;
    case 'copytolist':
      return `copy to list ${target}`;
    case 'movetolist':
      return `move to list ${target}`;
    case 'removefromlist':
      return 'remove from the list';
    case 'email_autoresponder':
      return `send e-mail message ${target}`;
    case 'sms_autoresponder':
      return `send SMS message ${target}`;
    case 'notify':
      return `notify ${target}`;
    case 'notifyemail':
    case 'notifymsisdn':
      return `forward the SMS to ${target}`;
    case 'notifyurl':
      return `call ${target}`;
    default:
      return `${action} ${target}`;
  }
}
