import type { Language } from "@longarm/contract/settings";
import type { ReactNode } from "react";
import { use } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import { IconButton } from "../../shared/ui/key.tsx";
import { DrawerContext } from "./drawer.ts";
import { Languages } from "./languages.tsx";
import css from "./page.module.css";

export type PageProps = {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly wallet: ReactNode;
  /** Off by the settings: the page has only its menu key, and its title for screen readers. */
  readonly showHeader: boolean;
  readonly showLanguages: boolean;
  readonly onLanguage: (language: Language) => void;
  readonly children: ReactNode;
};

/** A page of the shell: header of 120 px (56 on small screens) with title, wallet and language, then its content. */
export function Page({ title, subtitle, wallet, showHeader, showLanguages, onLanguage, children }: PageProps) {
  const { t } = useText();
  const openDrawer = use(DrawerContext);
  const menuKey = openDrawer && <IconButton icon="menu" label={t("shell.openMenu")} onClick={openDrawer} />;
  return (
    <>
      {showHeader && (
        <header className={css["header"]} data-region="toolbar">
          {menuKey}
          <div className={css["title"]}>
            <h1>{title}</h1>
            <p>{subtitle}</p>
          </div>
          {wallet}
          {showLanguages && <Languages onLanguage={onLanguage} className={css["languages"] ?? ""} />}
        </header>
      )}
      {!showHeader && <div className={css["bare"]}>{menuKey}</div>}
      <main className={css["page"]} id="page" tabIndex={-1}>
        {!showHeader && <h1 className="visually-hidden">{title}</h1>}
        {children}
      </main>
    </>
  );
}
