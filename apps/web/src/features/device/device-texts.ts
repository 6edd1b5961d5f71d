import type { Language } from "@longarm/contract/settings";
import ar from "../../shared/i18n/catalogues/ar/device.json";
import en from "../../shared/i18n/catalogues/en/device.json";
import tr from "../../shared/i18n/catalogues/tr/device.json";

type DeviceText = keyof typeof en;
type Params = Readonly<Record<string, string | number>>;

const CATALOGUES: Readonly<Record<Language, Readonly<Record<DeviceText, string>>>> = { en, tr, ar };

/** The words of one language for a worker, which has no page: `count` picks the plural form. */
export function deviceWords(language: Language) {
  const texts = CATALOGUES[language];
  const filled = (text: string, params: Params): string =>
    text.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(params[name] ?? place));
  return {
    t: (key: `device.${DeviceText}`, params: Params = {}): string =>
      filled(texts[key.slice("device.".length) as DeviceText], params),
    seconds: (count: number): string =>
      filled(texts[`turnBody_${new Intl.PluralRules(language).select(count)}`], {
        count: new Intl.NumberFormat(language).format(count),
      }),
  };
}
