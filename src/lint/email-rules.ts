/**
 * The rules of `email lint`. A value that the service rejects or readers cannot read is an error. A departure from good practice is a
 * warning.
 */
import { type LintRule, type RuleTable, rulesIn } from './rule.ts';

export const EMAIL_RULE_TABLE = {
  'not-windows-1252': {
    severity: 'error',
    finds: 'Characters that Windows-1252 lacks, into which the service converts every message',
    instead: 'Write other characters; in HTML a reference such as &#8594;',
  },
  'long-text-line': {
    severity: 'error',
    finds: 'A line of the text part with more than 1000 octets, its line end included',
    instead: 'Break the line',
  },
  'dynamic-content': {
    severity: 'error',
    finds: 'Personalisation or dynamic content with a mistake in its syntax',
    instead:
      'Write {{ email }}, {{ field.NAME }}, {{ field.NAME | else }} or {% if field.NAME %}…{% endif %}',
  },
  'opt-in-element': {
    severity: 'error',
    finds: 'An opt-in message (customoptin) without the opt-in element in its HTML or text',
    instead: 'Add the element that the finding shows',
  },
  sender: {
    severity: 'error',
    finds: 'A sender or reply address that is no e-mail address, or a sender without a name',
    instead: 'Write an address such as news@example.com, and the name that readers know',
  },
  'invalid-value': {
    severity: 'error',
    finds: 'Any other value that the service refuses',
    instead: 'Write what the finding says',
  },
  'empty-part': {
    severity: 'error',
    finds: 'HTML, text or subject that is given and shows nothing',
    instead: 'Write the part',
  },
  'local-address': {
    severity: 'error',
    finds: 'A link or image on localhost, in a private network or in a file',
    instead: 'Use the address that readers can reach',
  },
  'relative-address': {
    severity: 'error',
    finds: 'A link or image without https:// and a host: a message has no page that it stands on',
    instead: 'Write the whole address',
  },
  'unfilled-placeholder': {
    severity: 'warning',
    finds: 'What was to be filled in: [NAME], *|FNAME|*, %%name%%, <%= name %>, lorem ipsum, TODO:, TBD',
    instead: "Write the text, or the service's own {{ field.NAME }}",
  },
  'wrong-encoding': {
    severity: 'warning',
    finds: 'Text that was read in a wrong character set: Ã© for é, â€™ for an apostrophe',
    instead: 'Convert the file from UTF-8 once, not twice',
  },
  'no-text-part': {
    severity: 'warning',
    finds: 'HTML without a text part',
    instead: 'Give --text-file, or --text-from-html',
  },
  'no-unsubscribe': {
    severity: 'warning',
    finds: 'A part that has no link or words to unsubscribe; opt-in messages need none',
    instead: 'Add a link to unsubscribe',
  },
  'no-postal-address': {
    severity: 'warning',
    finds: 'A stored message without the postal address of the account',
    instead: 'Add the address',
  },
  'shouting-subject': {
    severity: 'warning',
    finds: 'A subject in capitals, or with several exclamation marks',
    instead: 'Write it in lower case, with one exclamation mark at most',
  },
  'image-without-alt': {
    severity: 'warning',
    finds: 'An image without an alt attribute; many readers see no images',
    instead: 'Say what it shows, or alt="" for decoration',
  },
  'empty-link': {
    severity: 'warning',
    finds: 'A link without an address, or without text or an image that has an alt',
    instead: 'Give both, or leave the link out',
  },
  'misleading-link': {
    severity: 'warning',
    finds: 'A link whose text is another address than the one it leads to, which filters take for fraud',
    instead: 'Show the address that it leads to, or words',
  },
  'plain-http': {
    severity: 'warning',
    finds: 'A link or image by http://, which can be read and changed on its way',
    instead: 'Write https://',
  },
  'active-content': {
    severity: 'warning',
    finds: 'Scripts, frames, plug-ins and event handlers, which mail clients remove and filters refuse',
    instead: 'Link to a page that has them',
  },
  'html-syntax': {
    severity: 'warning',
    finds: 'Tags that are broken, never closed, or closed without having been opened',
    instead: 'Mend the tag',
  },
  'large-html': {
    severity: 'warning',
    finds: 'HTML over 102 KB, of which Gmail shows the beginning alone',
    instead: 'Shorten it, or move styles and texts to a page',
  },
  'unrendered-html': {
    severity: 'warning',
    finds: 'Elements and image formats that widely used mail clients do not show',
    instead: 'Write what the finding says',
  },
  'unrendered-css': {
    severity: 'info',
    finds: 'Styles that widely used mail clients do not follow',
    instead: 'Check that the message reads well without',
  },
  'long-subject': {
    severity: 'info',
    finds: 'A subject of more than 60 characters, which many mail programs cut',
    instead: 'Put what matters first',
  },
  'duplicate-link': {
    severity: 'info',
    finds: 'Several links to one address, whose clicks may be counted as those of one link',
    instead: 'Tell them apart, by a parameter for instance, where that matters',
  },
  'no-language': {
    severity: 'info',
    finds: 'HTML that does not say its language, which screen readers go by',
    instead: 'Write <html lang="en">',
  },
  'no-title': {
    severity: 'info',
    finds: 'HTML without a title, which screen readers and web views show',
    instead: 'Write <title> in the head',
  },
} as const satisfies RuleTable;

export type EmailRule = keyof typeof EMAIL_RULE_TABLE;

export const EMAIL_RULES: readonly LintRule[] = rulesIn(EMAIL_RULE_TABLE);
