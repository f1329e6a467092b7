/**
 * The rows of the store as TypeScript sees them, made from the migrations: see test/sandbox/store/tables.test.ts.
 * Booleans are 0 and 1, times Unix seconds.
 */
import type { Generated, Selectable } from 'kysely';

export interface SettingRow {
  readonly key: string;
  readonly value: string;
}

export interface PartnerRow {
  readonly id: Generated<number>;
  readonly name: string;
  readonly api_key: string;
  readonly timezone: string;
}

export interface AccountRow {
  readonly id: Generated<number>;
  readonly partner_id: number;
  readonly api_key: string;
  readonly name: string;
  readonly address: Generated<string>;
  readonly contactemail: string;
  readonly country: Generated<string>;
  readonly folderrestrict: Generated<number>;
  readonly goaltrackingdomain: Generated<string>;
  readonly telephone: string | null;
  readonly timezone: string;
  readonly website: string | null;
  readonly emailcreditbalance: Generated<number>;
  readonly inboxtestcreditbalance: Generated<number>;
  readonly smscreditbalance: Generated<number>;
  readonly automation_limit: number | null;
  readonly list_limit: Generated<number>;
  readonly search_limit: number | null;
  readonly smsautomation_limit: number | null;
  readonly subscriber_limit: number | null;
  readonly subscriberprofileattribute_limit: number | null;
  readonly subscriberprofilefield_limit: number | null;
  readonly user_limit: Generated<number>;
  readonly custommaildomaintype: string | null;
  readonly enableanalyse: Generated<number>;
  readonly enableaudienceinsights: Generated<number>;
  readonly enablechangepassword: Generated<number>;
  readonly enablecustommaildomain: Generated<number>;
  readonly enabledkim: Generated<number>;
  readonly enabledynamiccontent: Generated<number>;
  readonly enableemail: Generated<number>;
  readonly enableemailcredits: Generated<number>;
  readonly enablesocialnetworka: Generated<number>;
  readonly enablehttpapi: Generated<number>;
  readonly enableinboxtest: Generated<number>;
  readonly enablecrm: Generated<number>;
  readonly enablesendbulkemail: Generated<number>;
  readonly enablesendbulksms: Generated<number>;
  readonly enablesms: Generated<number>;
  readonly enablesplittest: Generated<number | null>;
  readonly enablesubscriberprofilefields: Generated<number>;
  readonly enablesubscriptionmo: Generated<number | null>;
  readonly enabletimezonepremium: Generated<number>;
  readonly enablesocialnetworkb: Generated<number>;
  readonly enablecms: Generated<number>;
  readonly locked: Generated<number>;
  readonly maildomainprimary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface UserRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly active: Generated<number>;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly isadmin: Generated<number>;
  readonly lastlogon: number | null;
  readonly locked: Generated<number>;
  readonly failed_logins: Generated<number>;
  readonly logins: Generated<number>;
  readonly msisdn: string | null;
  readonly username: string;
  readonly timezone: string;
  readonly cdate: number;
  readonly mdate: number;
  readonly password_hash: string | null;
}

export interface FolderRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly name: string;
  readonly cdate: number;
  readonly mdate: number;
}

export interface FolderAccessRow {
  readonly user_id: number;
  readonly folder_id: number;
}

export interface ListRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly folder_id: number | null;
  readonly name: string;
  readonly permanent: Generated<number>;
  readonly cdate: number;
  readonly note: string | null;
  readonly optin: Generated<number>;
  readonly smsdefault: Generated<number>;
  readonly changed: number | null;
}

export interface SubscriberRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly email: string | null;
  readonly email_domain: string | null;
  readonly msisdn: string | null;
  readonly emailsuspended: Generated<number>;
  readonly smssuspended: Generated<number>;
  readonly cdate: number;
  readonly confirmed: Generated<number>;
  readonly changed: number | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly title: string | null;
  readonly companyname: string | null;
  readonly gender: string | null;
  readonly housenumber: string | null;
  readonly streetname: string | null;
  readonly town: string | null;
  readonly county: string | null;
  readonly postcode: string | null;
  readonly country: string | null;
  readonly daybirth: number | null;
  readonly monthbirth: number | null;
  readonly yearbirth: number | null;
}

export interface ProfileFieldRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly name: string;
  readonly columnheader: string | null;
  readonly type: Generated<string>;
  readonly cdate: Generated<number>;
  readonly changed: number | null;
  readonly goaltracking: Generated<number>;
}

export interface ProfileDataRow {
  readonly field_id: number;
  readonly subscriber_id: number;
  readonly account_id: number;
  readonly value: string;
}

export interface SearchRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly name: string;
  readonly field_id: number;
  readonly equals: string;
  readonly cdate: number;
}

export interface SmsDestinationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly keyword: string | null;
  readonly destination: string;
  readonly isshortcode: Generated<number>;
  readonly mdate: number | null;
}

export interface FormRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly gacode: Generated<string>;
  readonly name: string;
  readonly suppressoptin: Generated<number>;
  readonly user_id: number;
  readonly cdate: number;
  readonly mdate: number;
}

export interface SenderAddressRow {
  readonly account_id: number;
  readonly email: string;
}

export interface DoNotContactRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly contactdata: string;
  readonly cdate: number;
}

export interface SmsRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly msisdn: string;
  readonly fromaddress: string;
  readonly message: string;
  readonly senddate: number | null;
  readonly dispatched: Generated<number>;
  readonly failed: Generated<number>;
  readonly tried: number | null;
  readonly due: number | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface SmsMessageRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly name: string;
  readonly fromname: string;
  readonly message: string;
  readonly subinfo: Generated<number>;
  readonly editable: Generated<number>;
  readonly used: Generated<number>;
  readonly deleted: Generated<number>;
  readonly cdate: number;
  readonly mdate: number;
}

export interface EmailMessageRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly name: string;
  readonly customoptin: Generated<number>;
  readonly defaultoptin: Generated<number>;
  readonly editable: Generated<number>;
  readonly editor: Generated<number>;
  readonly fromemail: string | null;
  readonly fromname: string;
  readonly galinkdata: Generated<number>;
  readonly html: string;
  readonly replyemail: string;
  readonly friendlink: Generated<number>;
  readonly subject: string;
  readonly text: string;
  readonly tracktextlinks: Generated<number>;
  readonly used: Generated<number>;
  readonly deleted: Generated<number>;
  readonly cdate: number;
  readonly mdate: number;
}

export interface EmailMessageLinkRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly message_id: number;
  readonly name: string | null;
  readonly target: string;
  readonly type: string;
  readonly cdate: number;
}

export interface TaskRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly name: string;
  readonly channel: string;
  readonly message_id: number;
  readonly list_id: number | null;
  readonly search_id: number | null;
  readonly splittest_id: number | null;
  readonly rate: number | null;
  readonly scheduledtime: number;
  readonly size: number;
  readonly cancelled: Generated<number>;
  readonly completed: Generated<number>;
  readonly endtime: number | null;
  readonly emailuniquebounces: number | null;
  readonly emailuniqueclicks: number | null;
  readonly emailuniqueopens: number | null;
  readonly emailuniqueunsubscriptions: number | null;
  readonly emailuniquecomplaints: number | null;
  readonly smsuniquebounces: number | null;
  readonly due: number | null;
  readonly cursor: Generated<number>;
  readonly started: Generated<number>;
  readonly sent: Generated<number>;
  readonly skipped: Generated<number>;
  readonly credits: Generated<number>;
  readonly stopped: string | null;
  readonly cdate: number;
}

export interface TaskRecipientRow {
  readonly task_id: number;
  readonly subscriber_id: number;
  readonly address: string;
  readonly senttime: number;
  readonly opened: number | null;
  readonly clicked: number | null;
  readonly unsubscribed: number | null;
  readonly complained: number | null;
  readonly bounced: number | null;
}

export interface DepartedRecipientRow {
  readonly task_id: number;
  readonly address: string;
}

export interface DeliveryRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly channel: string;
  readonly recipient: string;
  readonly sender: string;
  readonly subject: string | null;
  readonly body: string;
  readonly message_id: number | null;
  readonly subscriber_id: number | null;
  readonly time: number;
  readonly cause: string;
  readonly cause_id: number | null;
  readonly rule_kind: string | null;
}

export interface ClickAutomationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly link_id: number | null;
  readonly message_id: number | null;
  readonly actiononweekend: number;
  readonly actiontarget: string;
  readonly actionhour: string | null;
  readonly actiontimediff: number;
  readonly actiontype: string;
  readonly name: string;
  readonly paused: Generated<number>;
  readonly summary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface OpenAutomationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly message_id: number;
  readonly actiononweekend: number;
  readonly actiontarget: string;
  readonly actionhour: string | null;
  readonly actiontimediff: number;
  readonly actiontype: string;
  readonly name: string;
  readonly paused: Generated<number>;
  readonly summary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface SubscriptionAutomationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly list_id: number;
  readonly actiononweekend: number;
  readonly actiontarget: string;
  readonly actionhour: string | null;
  readonly actiontimediff: number;
  readonly actiontype: string;
  readonly name: string;
  readonly paused: Generated<number>;
  readonly summary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface DateAutomationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly actiononweekend: number;
  readonly actiontarget: string;
  readonly actionhour: string | null;
  readonly actiontimediff: number;
  readonly actiontype: string;
  readonly name: string;
  readonly paused: Generated<number>;
  readonly summary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface SmsAutomationRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly user_id: number;
  readonly email_list_id: number | null;
  readonly keyword: string | null;
  readonly list_id: number;
  readonly message_id: number | null;
  readonly message_actionhour: string | null;
  readonly message_actiontimediff: number | null;
  readonly message_actiononweekend: number | null;
  readonly name: string;
  readonly notifyemail: string | null;
  readonly notifymsisdn: string | null;
  readonly notifyurl: string | null;
  readonly paused: Generated<number>;
  readonly summary: string | null;
  readonly cdate: number;
  readonly mdate: number;
}

export interface QueuedActionRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly rule_kind: string;
  readonly rule_id: number;
  readonly subscriber_id: number;
  readonly due: number;
  readonly event: string;
}

export interface RelayedRow {
  readonly task_id: Generated<number>;
  readonly last: number;
}

export interface NonceRow {
  readonly identity: string;
  readonly nonce: string;
  readonly expires: number;
}

export interface LogRow {
  readonly id: Generated<number>;
  readonly time: number;
  readonly kind: string;
  readonly text: string;
}

export interface FormerRecipientRow {
  readonly account_id: number;
  readonly address: string;
  readonly subscriber_id: number;
}

export interface RequestLogRow {
  readonly id: Generated<number>;
  readonly time: number;
  readonly who: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly failed: string | null;
  readonly why: string | null;
  readonly signed: string | null;
  readonly signature: string | null;
  readonly expected: string | null;
  readonly problems: string | null;
}

export interface ControlTokenRow {
  readonly name: string;
  readonly role: string;
  readonly hash: string;
  readonly cdate: number;
}

export interface RuleActionRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly rule_kind: string;
  readonly rule_id: number;
  readonly subscriber_id: number | null;
  readonly time: number;
  readonly action: string | null;
  readonly target: string | null;
  readonly why: string | null;
}

export interface SubscriptionRow {
  readonly id: Generated<number>;
  readonly list_id: number;
  readonly subscriber_id: number;
  readonly cdate: number;
  readonly confirmed: Generated<number>;
  readonly confirmationredirect: string | null;
  readonly source: string | null;
  readonly changed: number | null;
}

export interface SessionTokenRow {
  readonly hash: string;
  readonly account_id: number;
  readonly user_id: number;
  readonly expires: number;
}

export interface ReactionRow {
  readonly id: Generated<number>;
  readonly account_id: number;
  readonly task_id: number;
  readonly subscriber_id: number;
  readonly kind: string;
  readonly link_id: number | null;
  readonly due: number;
}

export interface Tables {
  readonly setting: SettingRow;
  readonly partner: PartnerRow;
  readonly account: AccountRow;
  readonly user: UserRow;
  readonly folder: FolderRow;
  readonly folder_access: FolderAccessRow;
  readonly list: ListRow;
  readonly subscriber: SubscriberRow;
  readonly profile_field: ProfileFieldRow;
  readonly profile_data: ProfileDataRow;
  readonly search: SearchRow;
  readonly sms_destination: SmsDestinationRow;
  readonly form: FormRow;
  readonly sender_address: SenderAddressRow;
  readonly do_not_contact: DoNotContactRow;
  readonly sms: SmsRow;
  readonly sms_message: SmsMessageRow;
  readonly email_message: EmailMessageRow;
  readonly email_message_link: EmailMessageLinkRow;
  readonly task: TaskRow;
  readonly task_recipient: TaskRecipientRow;
  readonly departed_recipient: DepartedRecipientRow;
  readonly delivery: DeliveryRow;
  readonly click_automation: ClickAutomationRow;
  readonly open_automation: OpenAutomationRow;
  readonly subscription_automation: SubscriptionAutomationRow;
  readonly date_automation: DateAutomationRow;
  readonly sms_automation: SmsAutomationRow;
  readonly queued_action: QueuedActionRow;
  readonly relayed: RelayedRow;
  readonly nonce: NonceRow;
  readonly log: LogRow;
  readonly former_recipient: FormerRecipientRow;
  readonly request_log: RequestLogRow;
  readonly control_token: ControlTokenRow;
  readonly rule_action: RuleActionRow;
  readonly subscription: SubscriptionRow;
  readonly session_token: SessionTokenRow;
  readonly reaction: ReactionRow;
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
