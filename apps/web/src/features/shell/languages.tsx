import type { Language } from "@longarm/contract/settings";
import { useText } from "../../shared/i18n/use-text.ts";
import { Segment } from "../../shared/ui/segment.tsx";

/** TR and EN; Arabic stands here only for those who speak it now (decision D-02). */
export function Languages({
  onLanguage,
  className = "",
}: {
  onLanguage: (language: Language) => void;
  className?: string;
}) {
  const { t, language } = useText();
  return (
    <Segment
      className={className}
      label={t("app.language")}
      value={language}
      onChange={onLanguage}
      options={[
        { value: "tr", label: "TR", name: "Türkçe", lang: "tr" },
        { value: "en", label: "EN", name: "English", lang: "en" },
        ...(language === "ar" ? [{ value: "ar", label: "ع", name: "العربية", lang: "ar" } as const] : []),
      ]}
    />
  );
}
