import type { LintRule } from './finding.ts';

export const EMAIL_LINT_RULE_TABLE = {
  'not-windows-1252': {
    severity: 'error',
    finds:
      'Characters that are not in Windows-1252, the character set to which the service converts every message',
    instead: 'Use other characters; in HTML, a reference such as &#8594;',
  },
  'long-text-line': {
    severity: 'error',
    finds: 'A line of the text part that is longer than 1000 bytes, including its line end',
    instead: 'Break the line',
  },
  'dynamic-content': {
    severity: 'error',
    finds: 'A syntax error in personalisation or dynamic content',
    instead:
      'Write {{ email }}, {{ field.NAME }}, {{ field.NAME | FALLBACK TEXT }} or {% if field.NAME %}…{% endif %}',
  },
  'opt-in-element': {
    severity: 'error',
    finds:
      'An opt-in message (customoptin) whose HTML or text has no opt-in element, the place for the confirmation link',
    instead: 'Add the element that svc shows',
  },
  sender: {
    severity: 'error',
    finds: 'A sender or reply address that is not an e-mail address, or a sender without a name',
    instead: 'Use an address such as news@example.com, and a sender name that readers know',
  },
  'invalid-value': {
    severity: 'error',
    finds: 'A value that the service rejects, and that no other lint rule reports',
    instead: 'Follow the advice that svc shows',
  },
  'empty-part': {
    severity: 'error',
    finds: 'An empty HTML part, text part or subject',
    instead: 'Write the missing text',
  },
  'local-address': {
    severity: 'error',
    finds:
      'A link or image that only this machine or network can reach: localhost, a private address or a file',
    instead: 'Use a public web address, which all readers can open',
  },
  'relative-address': {
    severity: 'error',
    finds:
      'A link or image with an incomplete address, without https:// or a host name. Mail programs cannot open it',
    instead: 'Use a complete address',
  },
  'text-in-head': {
    severity: 'error',
    finds: 'Text or an image in <head>. Some mail programs show it and others do not',
    instead: 'Move it into <body>, or delete it',
  },
  'unfilled-placeholder': {
    severity: 'warning',
    finds:
      'A placeholder that was not replaced: [NAME], *|FNAME|*, %%name%%, <%= name %>, lorem ipsum, TODO:, TBD',
    instead: 'Replace the placeholder with text, or with {{ field.NAME }}',
  },
  'wrong-encoding': {
    severity: 'warning',
    finds:
      'Text with garbled characters, because it was decoded with the wrong character set: Ã© for é, â€™ for an apostrophe',
    instead: 'Save the file as UTF-8, and convert the text to UTF-8 only once',
  },
  'no-text-part': {
    severity: 'warning',
    finds: 'HTML without a text part',
    instead: 'Add --text-file, or --text-from-html',
  },
  'no-unsubscribe': {
    severity: 'warning',
    finds:
      'A message without an unsubscribe link. svc reports this only if the profile setting naming.footer is "none": with this value, the service adds no link. Opt-in messages do not need this link',
    instead: 'Add an unsubscribe link',
  },
  'no-postal-address': {
    severity: 'warning',
    finds:
      'A message without the postal address of the company. svc reports this only if the profile setting naming.footer is "link" or "none": with these values, the service adds no address',
    instead: 'Add the postal address',
  },
  'shouting-subject': {
    severity: 'warning',
    finds: 'A subject in capital letters, or with several exclamation marks',
    instead: 'Use lower case and at most one exclamation mark',
  },
  'image-without-alt': {
    severity: 'warning',
    finds: 'An image without an alt attribute. Many mail programs block images at first',
    instead: 'Describe the image, or use alt="" for decoration',
  },
  'empty-link': {
    severity: 'warning',
    finds: 'A link without an address, or a link that has no text and no image with alt text',
    instead: 'Add an address and a text, or remove the link',
  },
  'misleading-link': {
    severity: 'warning',
    finds:
      'A link whose text shows a different address than its target. Spam filters treat such a link as phishing',
    instead: 'Write the real address of the link, or words that contain no address',
  },
  'plain-http': {
    severity: 'warning',
    finds: 'A link or image that uses http://, which others can read and change in transit',
    instead: 'Use https://',
  },
  'active-content': {
    severity: 'warning',
    finds:
      'Scripts, frames, plug-ins and event handlers. Mail clients remove them and spam filters reject them',
    instead: 'Link to a web page instead',
  },
  'html-syntax': {
    severity: 'warning',
    finds: 'HTML tags that are broken, not closed, or closed but never opened',
    instead: 'Fix the tag',
  },
  'reader-dependent': {
    severity: 'warning',
    finds:
      'Content that some mail programs show and others do not: text that styles add, conditional comments, form fields, text in SVG, malformed comments, text in more than 200 elements, and a late <head>',
    instead: 'Follow the advice that svc shows',
  },
  'large-html': {
    severity: 'warning',
    finds: 'HTML over 102 KB. Gmail shows only the beginning',
    instead: 'Shorten the HTML, or move content to a web page',
  },
  'unrendered-html': {
    severity: 'warning',
    finds: 'HTML elements and image formats that widely used mail clients do not show',
    instead: 'Follow the advice that svc shows',
  },
  'unrendered-css': {
    severity: 'info',
    finds: 'CSS styles that widely used mail clients do not support',
    instead: 'Check that the message is readable without these styles',
  },
  'long-subject': {
    severity: 'info',
    finds: 'A subject of more than 60 characters. Many mail programs cut a long subject',
    instead: 'Put the important words first',
  },
  'duplicate-link': {
    severity: 'info',
    finds: 'Several links to the same address. The service may count their clicks together',
    instead: 'To count the clicks of each link separately, add a different parameter to each web address',
  },
  'no-language': {
    severity: 'info',
    finds: 'HTML that does not declare its language, which screen readers use',
    instead: 'Add a lang attribute, such as <html lang="en">',
  },
  'no-title': {
    severity: 'info',
    finds: 'HTML without a title, which screen readers and browsers show',
    instead: 'Add a <title> to the head',
  },
} as const satisfies Readonly<Record<string, Omit<LintRule, 'rule'>>>;

export type EmailLintRuleName = keyof typeof EMAIL_LINT_RULE_TABLE;

export const EMAIL_LINT_RULES: readonly LintRule[] = Object.entries(EMAIL_LINT_RULE_TABLE).map(
  ([rule, more]) => ({ rule, ...more }),
);
