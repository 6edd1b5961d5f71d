import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import type { ComponentType, ReactNode } from "react";
import { createContext, use, useSyncExternalStore } from "react";
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

export type PageProps = {
  /** Undefined: the content has a heading of its own, and reaches from edge to edge. */
  readonly title: string | undefined;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
};

/** What the shell puts around the content of every page; the pages themselves only have a title. */
type Chrome = {
  /** Opens the menu's drawer; undefined where the menu is beside the page. */
  readonly openDrawer: (() => void) | undefined;
  /** Off by the settings: a page has only its floating menu key, and its title for screen readers. */
  readonly showHeader: boolean;
  /** The wallet with its toggle. */
  readonly wallet: ReactNode;
  /** Buttons for money, before the wallet: discount and bonus. On small screens they are in the drawer. */
  readonly actions: ReactNode;
  /** Small keys at the end of the header: search, language, information, support. */
  readonly tools: ReactNode;
  /** The starred items, in a line of their own. */
  readonly shortcuts: ReactNode;
  /** What every page says under its header: the live connection is down. */
  readonly notice: ReactNode;
  /** Draws pages where bars of another layout hold all of this. */
  readonly page?: ComponentType<PageProps>;
};

export const ChromeContext = createContext<Chrome | undefined>(undefined);

export function useChrome(): Chrome {
  const chrome = use(ChromeContext);
  if (chrome === undefined) throw new Error("ChromeContext is missing above this page");
  return chrome;
}

/** Says calmly that the live connection is down, for as long as it is. The status element is always there, so that its text is read out. */
export function OfflineBar({ online }: { online: Live<boolean> }) {
  const { t } = useText();
  const linked = useLive(online);
  const networked = useNetwork();
  return (
    <div role="status">
      {!(linked && networked) && (
        <p className={css["bar"]}>
          <Icon name="offline" />
          {t("shell.offline")}
        </p>
      )}
    </div>
  );
}

/** What the browser knows of the network: it notices an outage sooner than a socket. */
function useNetwork(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed);
      addEventListener("offline", changed);
      return () => {
        removeEventListener("online", changed);
        removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}
