import type { ReactNode } from "react";
import { use } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import { IconButton } from "../../shared/ui/key.tsx";
import { ChromeContext } from "./chrome.ts";
import css from "./page.module.css";

export type PageProps = {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
};

/** A page of the shell: header of 120 px (56 on small screens) with title, claim keys, wallet and tools, then its content. */
export function Page({ title, subtitle, children }: PageProps) {
  const { t } = useText();
  const chrome = use(ChromeContext);
  if (chrome === undefined) throw new Error("ChromeContext is missing above this page");
  const { openDrawer, showHeader, wallet, actions, tools } = chrome;
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
          <div className={css["actions"]}>{actions}</div>
          {wallet}
          <div className={css["tools"]}>{tools}</div>
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
