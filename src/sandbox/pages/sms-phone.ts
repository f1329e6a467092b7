/** Draws an SMS as a phone shows it, with its parts and credits. */
import { measureSms } from '../../text/gsm.ts';
import { briefCharacter } from '../../text/sms-character-words.ts';
import { costlyCharacters } from '../../text/sms-characters.ts';
import { counted, type Html, html, NONE } from './parts.ts';
import type { Shown } from './shown.ts';

export function smsPhone(shown: Shown): Html {
  const text = String(shown['text'] ?? '');
  const { alphabet, characters, septets, parts, credits } = measureSms(text);
  const costly = costlyCharacters(text).map(({ character }) => briefCharacter(character));
  return html`<div class="handset"><p class="handset-from">${String(shown['from'])}</p><p class="bubble">${text}</p></div>
<dl class="facts wide-facts">
<dt>Parts</dt><dd>${counted(parts, 'part')}, ${counted(credits, 'credit')}</dd>
<dt>Alphabet</dt><dd>${alphabet}${alphabet === 'UCS-2' && costly.length > 0 ? html`, because of ${costly.join(' ')}` : NONE}</dd>
<dt>Length</dt><dd>${counted(characters, 'character')}, which fill ${septets}</dd>
</dl>`;
}
