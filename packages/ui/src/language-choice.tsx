import type { Language } from "@longarm/contract/settings";
import { useText } from "./i18n/use-text.ts";
import { Segment } from "./segment.tsx";

/** All three languages in short: TR and EN in this order (decision D-02), then Arabic (record 0116). */
export function LanguageChoice(props: {
  readonly onLanguage: (language: Language) => Promise<void>;
  readonly className?: string;
}) {
  const { t, language } = useText();
  return (
    <Segment<Language>
      className={props.className ?? ""}
      label={t("app.language")}
      value={language}
      onChange={props.onLanguage}
      options={[
        { value: "tr", label: "TR", name: "Türkçe", lang: "tr" },
        { value: "en", label: "EN", name: "English", lang: "en" },
        { value: "ar", label: "ع", name: "العربية", lang: "ar" },
      ]}
    />
  );
}
