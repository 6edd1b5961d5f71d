import { Menu } from "@base-ui/react/menu";
import type { Language } from "@longarm/contract/settings";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";
import pop from "../../../shared/ui/pop-out.module.css";
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

type FlagName = "us" | "tr" | "sa";

/** Small flags, drawn by us: enough of each to be known at 24 by 16. */
const FLAGS: Readonly<Record<FlagName, ReactNode>> = {
  us: (
    <>
      <path fill="#f4f4f4" d="M0 0h24v16H0z" />
      <path stroke="#b22334" strokeWidth="1.6" d="M0 .8h24M0 4h24M0 7.2h24M0 10.4h24M0 13.6h24" />
      <path fill="#33396b" d="M0 0h10.5v8H0z" />
      <path
        stroke="#f4f4f4"
        strokeWidth="1.1"
        strokeLinecap="round"
        d="M2 2h.01M5.2 2h.01M8.4 2h.01M3.6 4h.01M6.8 4h.01M2 6h.01M5.2 6h.01M8.4 6h.01"
      />
    </>
  ),
  tr: (
    <>
      <path fill="#d21f2b" d="M0 0h24v16H0z" />
      <circle cx="9" cy="8" r="4" fill="#fff" />
      <circle cx="10" cy="8" r="3.2" fill="#d21f2b" />
      <path fill="#fff" d="m12.2 8 3.4-1.1-2.1 2.9V6.2l2.1 2.9z" />
    </>
  ),
  sa: (
    <>
      <path fill="#0b6b3a" d="M0 0h24v16H0z" />
      <path
        fill="none"
        stroke="#fff"
        strokeWidth="1"
        strokeLinecap="round"
        d="M6 4.5v3.2M8.5 5v2.7h2V5M12.5 7.7h2.6V4.5M17.5 4.5v3.2M6.5 11.3h10.6M16 10.2v2.2"
      />
    </>
  ),
};

/** A flag beside the name of its language; hidden from screen readers. */
function Flag({ name }: { name: FlagName }) {
  return (
    <svg className={css["flag"]} viewBox="0 0 24 16" aria-hidden="true">
      {FLAGS[name]}
    </svg>
  );
}
