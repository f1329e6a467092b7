/**
 * The layout of the demo's e-mails: tables and inline styles, because mail programs know little else. A message needs no network, so its
 * picture is part of it. Gmail does not show such a picture: `svc email lint` warns of it, and the page of a message shows the warning.
 * The style sheet only adds dark colours, small screens, and the links that the service adds.
 */
import { DEMO_PICTURES } from './demo-pictures.ts';

interface DemoEmailPage {
  readonly title: string;
  readonly picture: keyof typeof DEMO_PICTURES;
  /** Describes the picture to those who do not see it. */
  readonly alt: string;
  /** Rows of the table, from the functions below. */
  readonly rows: readonly string[];
  /** Undefined for a draft, so that `svc email lint` has something to find. */
  readonly language?: 'en' | undefined;
}

const FONT = "font-family:Georgia,'Times New Roman',serif";
const SANS = 'font-family:Arial,Helvetica,sans-serif';
const COFFEE = '#2b1d16';
const CLAY = '#9c4423';
const CREAM = '#f4ecdf';
const CARD = '#fffdf9';

const STYLE = `
body > p { padding: 0 16px 24px; text-align: center; font: 13px Arial, sans-serif; }
body > p a { color: #6d5a4c; }
.button a { color: #ffffff; font: bold 16px Arial, sans-serif; text-decoration: none; }
@media (max-width: 480px) {
  .cell { padding-left: 20px !important; padding-right: 20px !important; }
}
@media (prefers-color-scheme: dark) {
  body, .page { background-color: #1b130f !important; }
  .card { background-color: #2a1e18 !important; }
  .panel { background-color: #3b2b22 !important; }
  body, h1, h2, .text { color: #f5eadc !important; }
  .soft { color: #cdbba8 !important; }
  .text a, body > p a { color: #f2b766 !important; }
}`;

export const layOutDemoEmail = ({ title, picture, alt, rows, language }: DemoEmailPage): string =>
  `<!doctype html><html${language === undefined ? '' : ` lang="${language}"`}><head><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>${STYLE}
</style></head><body style="margin:0;padding:0;background-color:${CREAM};color:${COFFEE};${FONT}">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${CREAM}"><tr><td align="center" style="padding:24px 12px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background-color:${CARD}">
<tr><td align="center" bgcolor="${COFFEE}" style="padding:18px;background-color:${COFFEE};color:#f4ecdf;${SANS};font-size:13px;letter-spacing:3px">HARBOUR COFFEE ROASTERS</td></tr>
<tr><td><img src="data:image/png;base64,${DEMO_PICTURES[picture]}" width="600" alt="${alt}" style="display:block;width:100%;height:auto;border:0"></td></tr>
<tr><td class="cell" style="padding:32px 40px 0"><h1 style="margin:0;color:${COFFEE};${FONT};font-size:30px;line-height:36px">${title}</h1></td></tr>
${rows.join('\n')}
<tr><td class="cell soft" align="center" style="padding:32px 40px;color:#6d5a4c;${SANS};font-size:13px;line-height:20px">Harbour Coffee Roasters, 12 Quayside, Bristol</td></tr>
</table></td></tr></table>
</body></html>`;

export const paragraph = (html: string): string =>
  `<tr><td class="cell text" style="padding:16px 40px 0;color:${COFFEE};${FONT};font-size:17px;line-height:27px">${html}</td></tr>`;

/** Draws a link as a button. `link`: the whole element. */
export const buttonRow = (link: string): string =>
  `<tr><td class="cell" style="padding:24px 40px 0"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td class="button" bgcolor="${CLAY}" style="padding:14px 28px;background-color:${CLAY};border-radius:6px;color:#ffffff;${SANS};font-size:16px">${link}</td></tr></table></td></tr>`;

export const buttonLink = (href: string, label: string): string =>
  `<a href="${href}" style="color:#ffffff;text-decoration:none;font-weight:bold">${label}</a>`;

export const textLink = (href: string, label: string): string =>
  `<a href="${href}" style="color:${CLAY}">${label}</a>`;

/** Draws a row with a mark in a colour of its own: a coffee, or a step. */
export const markedRow = (mark: string, colour: string, heading: string, text: string): string =>
  `<tr><td class="cell" style="padding:20px 40px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td width="48" valign="top"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td width="48" height="48" align="center" bgcolor="${colour}" style="background-color:${colour};border-radius:24px;color:#ffffff;${SANS};font-size:16px;font-weight:bold">${mark}</td></tr></table></td><td class="text" style="padding-left:16px;color:${COFFEE};${FONT};font-size:17px;line-height:24px"><b>${heading}</b><br><span class="soft" style="color:#6d5a4c;font-size:15px">${text}</span></td></tr></table></td></tr>`;

/** Draws a paragraph on a ground of its own. */
export const panel = (html: string): string =>
  `<tr><td class="cell" style="padding:28px 40px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="panel text" bgcolor="#f4ecdf" style="padding:20px 24px;background-color:#f4ecdf;color:${COFFEE};${FONT};font-size:17px;line-height:26px">${html}</td></tr></table></td></tr>`;
