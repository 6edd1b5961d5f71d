import type { Language } from "@longarm/contract/settings";
import { useText } from "../../shared/i18n/use-text.ts";
import { Segment } from "../../shared/ui/segment.tsx";

/**
 * TR and EN, in this order (decision D-02). While Arabic is spoken neither is chosen and the group says so: the choice of all
 * three stands on the login screen and on the profile.
 */
export function Languages({ onLanguage }: { onLanguage: (language: Language) => Promise<void> }) {
  const { t, language } = useText();
  return (
    <Segment<Language>
      label={language === "ar" ? t("shell.languageNow") : t("app.language")}
      value={language}
      onChange={onLanguage}
      options={[
        { value: "tr", label: "TR", name: "Türkçe", lang: "tr" },
        { value: "en", label: "EN", name: "English", lang: "en" },
      ]}
    />
  );
}
