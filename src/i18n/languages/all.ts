/** The languages that pages are written in. */
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { hi } from './hi.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import type { Messages } from './messages.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { sv } from './sv.ts';
import { tr } from './tr.ts';
import { zh } from './zh.ts';

export type Language = {
  /** As it stands in `?lang=`, and what a browser's list of languages is compared with. */
  readonly id: string;
  /** Its BCP 47 tag, where that says more than the id. */
  readonly tag: string;
  /** Name of the language in the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly messages: Messages;
};

const language = (id: string, name: string, messages: Messages, given: Partial<Language> = {}): Language => ({
  id,
  tag: id,
  name,
  direction: 'ltr',
  messages,
  ...given,
});

export const english = language('en', 'English', en);

/** Languages in the order in which the page lists them. */
export const languages: readonly Language[] = [
  english,
  language('de', 'Deutsch', de),
  language('es', 'Español', es),
  language('fr', 'Français', fr),
  language('it', 'Italiano', it),
  language('nl', 'Nederlands', nl),
  language('pl', 'Polski', pl),
  language('pt', 'Português', pt),
  language('sv', 'Svenska', sv),
  language('tr', 'Türkçe', tr),
  language('ar', 'العربية', ar, { direction: 'rtl' }),
  language('hi', 'हिन्दी', hi),
  language('ja', '日本語', ja),
  language('zh', '简体中文', zh, { tag: 'zh-Hans' }),
];

export const languageById: ReadonlyMap<string, Language> = new Map(languages.map((each) => [each.id, each]));
