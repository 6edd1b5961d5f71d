import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { LanguageChoice } from "@longarm/ui/language-choice.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Logo } from "@longarm/ui/logo.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import type { ReactNode } from "react";
import { useConsole } from "../../shared/console.ts";
import type { ConsoleIconName } from "../../shared/ui/icons.tsx";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import css from "./gate.module.css";

export { css as gateCss };

/** The room before the console: one card, and the choice of language and light. */
export function Gate(props: {
  readonly plate: string;
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
  /** Below the line: other ways on. */
  readonly ways?: ReactNode;
}) {
  const { texts } = useConsole();
  const { t } = useText();
  usePageTitle(props.title);
  return (
    <div className={css["gate"]}>
      <header className={css["bar"]}>
        <Logo />
        <span>{t("app.console")}</span>
        <LanguageChoice className={css["push"] ?? ""} onLanguage={texts.speak} />
        <PaletteKey />
      </header>
      <main className={css["card"]} id="page" tabIndex={-1}>
        <div className={css["main"]}>
          <div className={css["title"]}>
            <p className="plate">{props.plate}</p>
            <h1>{props.title}</h1>
            {props.about !== undefined && <p>{props.about}</p>}
          </div>
          {props.children}
        </div>
        {props.ways !== undefined && <div className={css["ways"]}>{props.ways}</div>}
      </main>
      <footer className={css["foot"]}>
        <span>{t("signIn.written")}</span>
      </footer>
    </div>
  );
}

/** Another way on, as a line. */
export function Way(props: {
  readonly icon: ConsoleIconName;
  readonly title: string;
  readonly about: string;
  readonly onChoose: () => void;
}) {
  return (
    <button type="button" className={css["way"]} onClick={props.onChoose}>
      <ConsoleIcon name={props.icon} />
      <span>
        {props.title}
        <small>{props.about}</small>
      </span>
      <ConsoleIcon name="next" />
    </button>
  );
}

export function PaletteKey() {
  const { palette, changePalette } = useConsole();
  const now = useLive(palette);
  const { t } = useText();
  const other = now === "night" ? "daylight" : "night";
  const label = t(other === "night" ? "app.night" : "app.daylight");
  return (
    <Key kind="bare" aria-label={label} title={label} onClick={() => changePalette(other)}>
      <ConsoleIcon name={other === "night" ? "moon" : "sun"} />
    </Key>
  );
}
