import type { Language } from "@longarm/contract/settings";
import { useText } from "../../shared/i18n/use-text.ts";
import { Segment } from "../../shared/ui/segment.tsx";

/** TR and EN, in this order (decision D-02), then Arabic (record 0116). */
export function Languages({ onLanguage }: { onLanguage: (language: Language) => Promise<void> }) {
  const { t, language } = useText();
  return (
    <Segment<Language>
      label={t("app.language")}
      value={language}
      onChange={onLanguage}
      options={[
        { value: "tr", label: "TR", name: "Türkçe", lang: "tr" },
        { value: "en", label: "EN", name: "English", lang: "en" },
        { value: "ar", label: "ع", name: "العربية", lang: "ar" },
      ]}
    />
  );
}
