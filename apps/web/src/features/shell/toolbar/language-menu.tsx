import { Menu } from "@base-ui/react/menu";
import type { Language } from "@longarm/contract/settings";
import { Link } from "@tanstack/react-router";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";
import pop from "../../../shared/ui/pop-out.module.css";
import type { FlagName } from "./flags.tsx";
import { Flag } from "./flags.tsx";
import css from "./toolbar.module.css";

/** A language to choose (entity of the specification, 3): its title in the spoken language, and what its own speakers call it. */
type LanguageOption = {
  readonly id: Language;
  readonly title: TextKey;
  readonly ownName: string;
  readonly flag: FlagName;
};
const LANGUAGES: readonly LanguageOption[] = [
  { id: "en", title: "bars.english", ownName: "English", flag: "us" },
  { id: "tr", title: "bars.turkish", ownName: "Türkçe", flag: "tr" },
  { id: "ar", title: "bars.arabic", ownName: "العربية", flag: "sa" },
];

/** All languages, with the direction of writing that each brings. `about`: a page that says more, when there is one. */
export function LanguageMenu(props: {
  readonly onLanguage: (language: Language) => Promise<void>;
  readonly about: string | undefined;
}) {
  const { t, language } = useText();
  const spoken = LANGUAGES.find(({ id }) => id === language);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={keyClass({ kind: "bare" }, css["choice"])} title={t("app.language")}>
        {spoken !== undefined && <Flag name={spoken.flag} />}
        <span className="visually-hidden">{t("app.language")}</span>
        <span className={css["code"]}>{language}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={pop["place"]} align="end" sideOffset={4} collisionPadding={8}>
          <Menu.Popup className={pop["panel"]} data-region="toolbar">
            <Menu.RadioGroup value={language} onValueChange={props.onLanguage} aria-label={t("app.language")}>
              {LANGUAGES.map(({ id, title, ownName, flag }) => (
                <Menu.RadioItem key={id} value={id} closeOnClick className={pop["row"]}>
                  <Flag name={flag} />
                  <span>{t(title)}</span>
                  {ownName !== t(title) && (
                    <span className={css["ownName"]} lang={id} dir="auto">
                      {ownName}
                    </span>
                  )}
                  <Menu.RadioItemIndicator className={css["chosen"]}>
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            {props.about !== undefined && (
              <>
                <Menu.Separator className={pop["divider"]} />
                <Menu.LinkItem closeOnClick className={pop["row"]} render={<Link to={props.about} preload={false} />}>
                  {t("bars.learnMore")}
                </Menu.LinkItem>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
