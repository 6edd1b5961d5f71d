import type { Language, Settings } from "@longarm/contract/settings";
import { useRouter, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useRef, useState } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Live } from "../../shared/live/live.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { Sheet } from "../../shared/ui/sheet.tsx";
import { SMALL, useMedia } from "../../shared/ui/use-media.ts";
import { ChromeContext } from "./chrome.ts";
import { Footer } from "./footer.tsx";
import { Languages } from "./languages.tsx";
import { MENU_ITEMS, visibleItems } from "./menu-items.ts";
import type { InfoLink } from "./navbar.tsx";
import { Navbar } from "./navbar.tsx";
import { OfflineBar } from "./offline-bar.tsx";
import type { Findable } from "./search/find-items.ts";
import { ShortcutBar } from "./search/shortcut-bar.tsx";
import type { Shortcuts } from "./search/shortcuts.ts";
import { useSearchKeys } from "./search/use-search-keys.ts";
import css from "./shell.module.css";
import { SideMenu } from "./side-menu.tsx";
import type { Panel } from "./tool-keys.tsx";
import { InfoSheet, SupportSheet, ToolKeys } from "./tool-keys.tsx";

const SearchSheet = lazy(async () => ({ default: (await import("./search/search-sheet.tsx")).SearchSheet }));

export type ShellProps = {
  readonly player: SignedInPlayer;
  readonly settings: Pick<
    Settings,
    "header" | "languageSelect" | "infoText" | "footerInfo" | "showVersion" | "contacts"
  >;
  readonly storage: Storage;
  readonly online: Live<boolean>;
  readonly shortcuts: Shortcuts;
  /** The wallet of the header, and its line in the menu. */
  readonly wallet: ReactNode;
  readonly balance: ReactNode;
  /** Discount and bonus. */
  readonly actions: ReactNode;
  /** The info pages, when they are offered. */
  readonly infoLinks: readonly InfoLink[];
  /** The information text has not been shown yet in this session: it opens by itself. */
  readonly infoIsNew: boolean;
  readonly onInfoSeen: () => void;
  readonly onLanguage: (language: Language) => void;
  readonly children: ReactNode;
};

/** The casino shell (layout3): a side menu of 280 px, 64 when folded, a drawer on small screens. */
export function Shell(props: ShellProps) {
  const { settings, shortcuts, actions, infoLinks } = props;
  const { t } = useText();
  const small = useMedia(SMALL);
  const items = visibleItems(MENU_ITEMS, { permissions: props.player.Permissions, type: props.player.type });
  const findables = useFindables(items, infoLinks);
  const panels = usePanels(props.infoIsNew && settings.infoText !== "" && settings.header ? "info" : undefined);
  const { panel, open, close } = panels;
  useSearchKeys(() => open("search"));

  const tools = (
    <>
      {settings.languageSelect && <Languages onLanguage={props.onLanguage} />}
      <ToolKeys hasInfo={settings.infoText !== ""} hasSupport={settings.contacts.length > 0} open={open} />
    </>
  );
  // What the header has no room for, or what there is no header for, stands in the menu.
  const inMenu = small || !settings.header ? { actions, tools } : {};
  const menu = {
    ...{ player: props.player, balance: props.balance, showVersion: settings.showVersion, items, infoLinks },
    ...inMenu,
  };
  const [folded, foldKey] = useFolding(props.storage);
  const chrome = {
    ...{ showHeader: settings.header, wallet: props.wallet, actions, tools },
    openDrawer: small ? () => open("drawer") : undefined,
    shortcuts: <ShortcutBar items={findables} shortcuts={shortcuts} />,
    notice: <OfflineBar online={props.online} />,
  };
  const sheet = { onClose: close, finalFocus: panels.finalFocus };
  return (
    <ChromeContext value={chrome}>
      <div className={css["shell"]} data-folded={folded || undefined}>
        <a className={css["skip"]} href="#page">
          {t("app.skipToContent")}
        </a>
        {!small && <SideMenu folded={folded} menu={{ ...menu, foot: foldKey }} />}
        {small && (
          <Sheet {...sheet} open={panel === "drawer"} title={t("shell.menu")} bareTitle form="drawer">
            <Navbar
              {...menu}
              narrow={false}
              foot={{ icon: "close", label: t("shell.closeMenu"), onPress: close }}
              onChosen={close}
            />
          </Sheet>
        )}
        <div className={css["body"]}>
          {props.children}
          <Footer info={settings.footerInfo} showVersion={settings.showVersion} infoLinks={infoLinks} />
        </div>
      </div>
      <InfoSheet
        {...sheet}
        open={panel === "info"}
        text={settings.infoText}
        onClose={() => {
          props.onInfoSeen();
          close();
        }}
      />
      <SupportSheet {...sheet} open={panel === "support"} contacts={settings.contacts} />
      {panel === "search" && (
        <Suspense>
          <SearchSheet {...sheet} items={findables} shortcuts={shortcuts} />
        </Suspense>
      )}
    </ChromeContext>
  );
}

/**
 * One panel at a time, closed when the page changes. The focus goes back to what opened it, to the menu key when that is gone, and
 * to the heading of another page.
 */
function usePanels(first: Panel | undefined) {
  const router = useRouter();
  const [panel, setPanel] = useState(first);
  const opener = useRef<Element>(null);
  const openedOn = useRef("");
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [seenPath, setSeenPath] = useState(path);
  if (seenPath !== path) {
    setSeenPath(path);
    setPanel(undefined);
  }
  return {
    panel,
    open(next: Panel) {
      opener.current = document.activeElement;
      openedOn.current = router.state.location.pathname;
      setPanel(next);
    },
    close: () => setPanel(undefined),
    finalFocus(): HTMLElement | true {
      const left = openedOn.current !== "" && openedOn.current !== router.state.location.pathname;
      if (left) return document.querySelector<HTMLElement>("h1") ?? true;
      const back = opener.current;
      const stays = back instanceof HTMLElement && back.isConnected && back.closest("[role=dialog]") === null;
      if (stays && back !== document.body) return back;
      return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
    },
  };
}

/** Folded or not, kept between visits, and the key that changes it. */
function useFolding(storage: Storage) {
  const { t } = useText();
  const [folded, setFolded] = useState(() => storage.read(STORAGE_KEYS.menuFolded) === "true");
  function fold(next: boolean) {
    setFolded(next);
    storage.write(STORAGE_KEYS.menuFolded, String(next));
  }
  const key = folded
    ? ({ icon: "unfold", label: t("shell.unfold"), onPress: () => fold(false) } as const)
    : ({ icon: "fold", label: t("shell.fold"), onPress: () => fold(true) } as const);
  return [folded, key] as const;
}

/** The menu's items and the info pages, as the search and the shortcuts see them. */
function useFindables(items: ReturnType<typeof visibleItems>, infoLinks: readonly InfoLink[]): readonly Findable[] {
  const { t } = useText();
  return [
    ...items.map(({ id, title, label, icon, to }) => ({ id, title, label: t(label), icon, to })),
    ...infoLinks.map(({ id, title, label, open }) => ({ id, title, label, icon: "info" as const, open })),
  ];
}
