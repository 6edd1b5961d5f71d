import { useText } from "../../shared/i18n/use-text.ts";
import { IconButton } from "../../shared/ui/key.tsx";
import type { PageProps } from "./chrome.ts";
import { useChrome } from "./chrome.ts";
import css from "./page.module.css";

/** A page of the shell: header of 120 px (56 on small screens) with title, claim keys, wallet and tools, then its content. */
export function Page(props: PageProps) {
  const Drawn = useChrome().page ?? CasinoPage;
  return <Drawn {...props} />;
}

function CasinoPage({ title, subtitle, children }: PageProps) {
  const { t } = useText();
  const chrome = useChrome();
  const { openDrawer, showHeader } = chrome;
  const menuKey = openDrawer && (
    <IconButton
      icon="menu"
      label={t("shell.openMenu")}
      onClick={openDrawer}
      aria-haspopup="dialog"
      kind={showHeader ? "bare" : "plain"}
      className={showHeader ? "" : (css["floating"] ?? "")}
      data-menu-key
    />
  );
  return (
    <>
      {showHeader && (
        <header className={css["header"]} data-region="toolbar">
          {menuKey}
          <div className={css["title"]}>
            {title !== undefined && <h1 tabIndex={-1}>{title}</h1>}
            <p>{subtitle}</p>
          </div>
          {!openDrawer && <div className={css["actions"]}>{chrome.actions}</div>}
          {chrome.wallet}
          <div className={css["tools"]}>{chrome.tools}</div>
          {!openDrawer && chrome.shortcuts}
        </header>
      )}
      {!showHeader && menuKey}
      <div className={css["notice"]} data-low={showHeader || undefined}>
        {chrome.notice}
      </div>
      <main
        className={css["page"]}
        id="page"
        tabIndex={-1}
        data-bare={!showHeader || undefined}
        data-whole={title === undefined || undefined}
      >
        {!showHeader && title !== undefined && (
          <h1 className="visually-hidden" tabIndex={-1}>
            {title}
          </h1>
        )}
        {children}
      </main>
    </>
  );
}
