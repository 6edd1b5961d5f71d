import type { Language, Settings } from "@longarm/contract/settings";
import type { Translate } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { LanguageChoice } from "@longarm/ui/language-choice.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { SMALL, useMedia } from "@longarm/ui/use-media.ts";
import type { ReactNode } from "react";
import { useEffect, useEffectEvent, useState } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { maySee, viewerOf } from "../../shared/navigation/navigation.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { Footer } from "./footer.tsx";
import type { InfoLink, MenuItem, NavbarProps } from "./navbar.tsx";
import { MENU_ITEMS, Navbar, useUnfolding } from "./navbar.tsx";
import { ChromeContext, OfflineBar } from "./page.tsx";
import { Panels, ToolKeys, usePanels } from "./panels.tsx";
import type { Findable } from "./search/find-items.ts";
import type { Shortcuts } from "./search/shortcuts.tsx";
import { ShortcutBar } from "./search/shortcuts.tsx";
import css from "./shell.module.css";

/** Pages beyond the menu, named in the language of `t`. */
export type MorePages = () => Promise<(t: Translate) => readonly Findable[]>;

export type ShellProps = {
  /** Undefined: a guest. */
  readonly player: SignedInPlayer | undefined;
  readonly settings: Pick<
    Settings,
    "header" | "languageSelect" | "infoText" | "footerInfo" | "showVersion" | "contacts" | "minimumAge" | "loginNotice"
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
  readonly onLanguage: (language: Language) => Promise<void>;
  /** What else may be looked for or starred: fetched when the search is opened, or when a shortcut asks for it. */
  readonly morePages: MorePages;
  /** One more small key at the end of the header, which may come later than its room; `close` closes the drawer, where it is in one. */
  readonly moreTool?: ((close: () => void) => ReactNode) | undefined;
  /** Of the shell as a whole: bars that are left out, and its width. */
  readonly className?: string | undefined;
  readonly children: ReactNode;
};

/** The casino shell (layout3): a side menu of 280 px, 64 when folded, a drawer on small screens. */
export function Shell(props: ShellProps) {
  const { settings, shortcuts, actions, infoLinks } = props;
  const { t } = useText();
  const small = useMedia(SMALL);
  const viewer = viewerOf(props.player);
  const items = MENU_ITEMS.filter((item) => maySee(item, viewer));
  const panels = usePanels(settings, props.infoIsNew);
  const { panel, open, close } = panels;
  const own = useFindables(items, infoLinks);
  const starred = useLive(shortcuts.ids);
  const isMissing = starred.some((id) => own.every((item) => item.id !== id));
  const findables = [...own, ...useMorePages(props.morePages, isMissing || panel === "search")];

  const tools = (
    <>
      {settings.languageSelect && <LanguageChoice onLanguage={props.onLanguage} />}
      <ToolKeys hasInfo={settings.infoText !== ""} hasSupport={settings.contacts.length > 0} open={open} />
      {props.moreTool && <span className={css["moreTool"]}>{props.moreTool(close)}</span>}
    </>
  );
  // What the header has no room for, or what there is no header for, is in the menu.
  const inMenu = small || !settings.header ? { actions, tools } : {};
  const menu = {
    ...{ player: props.player, balance: props.balance, showVersion: settings.showVersion, items, infoLinks },
    ...inMenu,
  };
  const [folded, foldKey] = useFolding(props.storage);
  // A guest may go nowhere from here, and an empty menu is only a wall.
  const bare = !small && items.length === 0 && infoLinks.length === 0 && props.player === undefined;
  const chrome = {
    ...{ showHeader: settings.header, wallet: props.wallet, actions, tools },
    openDrawer: small ? () => open("drawer") : undefined,
    shortcuts: <ShortcutBar items={findables} shortcuts={shortcuts} />,
    notice: <OfflineBar online={props.online} />,
  };
  return (
    <ChromeContext value={chrome}>
      <div
        className={`${css["shell"]} ${props.className ?? ""}`}
        data-folded={folded || undefined}
        data-bare={bare || undefined}
      >
        <a className={css["skip"]} href="#page">
          {t("app.skipToContent")}
        </a>
        {!small && !bare && <SideMenu folded={folded} menu={{ ...menu, foot: foldKey }} />}
        {small && (
          <Sheet
            open={panel === "drawer"}
            onClose={close}
            finalFocus={panels.finalFocus}
            title={t("shell.menu")}
            bareTitle
            form="drawer"
          >
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
          {/* The menu beside the page has the version; a drawer hides it. */}
          <Footer settings={settings} showVersion={settings.showVersion && small} infoLinks={infoLinks} />
        </div>
      </div>
      <Panels {...{ panels, settings, items: findables, shortcuts }} onInfoSeen={props.onInfoSeen} />
    </ChromeContext>
  );
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
function useFindables(items: readonly MenuItem[], infoLinks: readonly InfoLink[]): readonly Findable[] {
  const { t } = useText();
  return [
    ...items.map(({ id, title, label, icon, url }) => ({ id, title, label: t(label), icon, to: url })),
    ...infoLinks.map(({ id, title, label, open }) => ({ id, title, label, icon: "info" as const, open })),
  ];
}

/** None until they are wanted. When they cannot be had, the next opening of the search tries again. */
function useMorePages(load: MorePages, wanted: boolean): readonly Findable[] {
  const { t } = useText();
  const [pages, setPages] = useState<Awaited<ReturnType<MorePages>>>();
  const fetchPages = useEffectEvent(() => {
    if (pages === undefined)
      load().then(
        (found) => setPages(() => found),
        () => undefined,
      );
  });
  useEffect(() => {
    if (wanted) fetchPages();
  }, [wanted]);
  return pages?.(t) ?? [];
}

/** The menu beside the page. Folded, it opens over the page while the pointer rests on it or the keyboard is inside. */
function SideMenu({ folded, menu }: { folded: boolean; menu: Omit<NavbarProps, "narrow"> }) {
  const { over, fold, handlers } = useUnfolding(folded);
  function press() {
    fold();
    menu.foot.onPress();
  }
  return (
    <div className={css["side"]} data-over={over || undefined} {...handlers}>
      <Navbar {...menu} foot={{ ...menu.foot, onPress: press }} narrow={folded && !over} />
    </div>
  );
}
