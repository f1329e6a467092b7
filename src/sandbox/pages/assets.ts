/** Styles and scripts of the pages, served from the sandbox's own address. Their names contain a hash of their content. */
import { createHash } from 'node:crypto';
import script from './assets/pages.js?text';
import style from './assets/style.css?text';
import views from './assets/views.css?text';

interface Asset {
  readonly type: string;
  readonly text: string;
}

const named = (name: string, end: string, text: string): string =>
  `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${end}`;

const STYLES = `${style}\n${views}`;

export const STYLE = named('pages', 'css', STYLES);
export const SCRIPT = named('pages', 'js', script);

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  [STYLE, { type: 'text/css; charset=utf-8', text: STYLES }],
  [SCRIPT, { type: 'text/javascript; charset=utf-8', text: script }],
]);

export const assetPath = (name: string): string => `/ui/assets/${name}`;
