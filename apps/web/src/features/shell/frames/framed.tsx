import { lazy, Suspense } from "react";
import type { LayoutConfig } from "../../../shared/appearance/layout-config.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { visibleTree } from "../../../shared/navigation/tree.ts";
import { viewerOf } from "../../../shared/navigation/visible.ts";
import { IconButton } from "../../../shared/ui/key.tsx";
import { Sheet } from "../../../shared/ui/sheet.tsx";
import { useMedia } from "../../../shared/ui/use-media.ts";
import { ChromeContext } from "../chrome.ts";
import { Footer } from "../footer.tsx";
import { MENU_ITEMS } from "../menu-items.ts";
import { OfflineBar } from "../offline-bar.tsx";
import { pagesOf } from "../search/pages-of.ts";
import { useSearchKeys } from "../search/use-search-keys.ts";
import { InfoKeys, InfoSheet, SupportSheet } from "../tool-keys.tsx";
import { FooterParts } from "../toolbar/footer-parts.tsx";
import { SidePanel } from "../toolbar/side-panel.tsx";
import { Toolbar, ToolbarExtras } from "../toolbar/toolbar.tsx";
import { usePanels } from "../use-panels.ts";
import css from "./frame.module.css";
import type { FrameProps } from "./frame-props.ts";
import { FramedPage } from "./framed-page.tsx";
import { Layout1, SideNavigation } from "./layout1.tsx";
import { Layout2, TopNavigation } from "./layout2.tsx";
import type { NavbarFacts } from "./navbar.tsx";
import { FramedNavbar } from "./navbar.tsx";

const SearchSheet = lazy(async () => ({ default: (await import("../search/search-sheet.tsx")).SearchSheet }));

/** Under it the navigation is a drawer (template-inventory 3). */
const NO_ROOM = "(max-width: 79.99rem)";

/** The template's layouts: vertical navigation beside the page (layout1), or horizontal above it (layout2). */
export function Framed(props: FrameProps) {
  const { style, settings, shortcuts, infoLinks, player, pages } = props;
  const { t } = useText();
  const small = useMedia(NO_ROOM);
  const config = small ? onSmall(props.config) : props.config;
  const tree = visibleTree([...MENU_ITEMS, ...props.templateTree], viewerOf(player));
  const items = [
    ...pagesOf(tree, t),
    ...infoLinks.map(({ id, title, label, open }) => ({ id, title, label, icon: "info" as const, open })),
  ];
  const { panel, open, openNow, close, finalFocus } = usePanels(
    props.infoIsNew && settings.infoText !== "" && settings.header ? "info" : undefined,
  );
  useSearchKeys(() => openNow("search"));

  const hasToolbar = config.toolbar.display && settings.header;
  const extras = {
    ...{ items, shortcuts, pages, onLanguage: props.onLanguage, onSearch: () => open("search") },
    tools: <InfoKeys hasInfo={settings.infoText !== ""} hasSupport={settings.contacts.length > 0} open={open} />,
  };
  const inToolbar = {
    player,
    wallet: props.wallet,
    panelKeys: config.rightSidePanel.display && props.panelKeys,
    ...extras,
  };
  const menuKey = small && config.navbar.display && (
    <IconButton
      icon="menu"
      label={hasToolbar ? t("shell.openMenu") : t("bars.showNavigation")}
      title={hasToolbar ? undefined : t("bars.showNavigation")}
      onClick={() => open("drawer")}
      aria-haspopup="dialog"
      kind={hasToolbar ? "bare" : "plain"}
      className={hasToolbar ? "" : (css["opener"] ?? "")}
      data-menu-key
    />
  );
  const facts: NavbarFacts = {
    ...{ player, tree, infoLinks, balance: props.balance, showVersion: settings.showVersion },
    // What the toolbar has no room for, or what there is no toolbar for.
    ...((small || !hasToolbar) && { actions: props.actions, extras: <ToolbarExtras {...extras} /> }),
  };
  const sheet = { onClose: close, finalFocus };
  const Layout = style === "layout1" ? Layout1 : Layout2;
  const Navigation = style === "layout1" ? SideNavigation : TopNavigation;
  const hasSidePanel = config.leftSidePanel.display && !small;
  return (
    <ChromeContext value={chromeOf(props)}>
      <a className={css["skip"]} href="#page">
        {t("app.skipToContent")}
      </a>
      <Layout
        config={config}
        navbar={
          config.navbar.display && !small && <Navigation config={config} facts={facts} onConfig={props.onConfig} />
        }
        toolbar={hasToolbar && <Toolbar {...inToolbar} menuKey={menuKey} actions={small ? undefined : props.actions} />}
        footer={
          config.footer.display && (
            <Footer settings={settings} showVersion={settings.showVersion} infoLinks={infoLinks}>
              {pages.documentation !== undefined && <FooterParts documentation={pages.documentation} />}
            </Footer>
          )
        }
        startPanel={hasSidePanel && <SidePanel items={items} shortcuts={shortcuts} />}
        endPanel={config.rightSidePanel.display && props.sidePanel}
      >
        {!hasToolbar && menuKey}
        {props.children}
      </Layout>
      <Sheet {...sheet} open={panel === "drawer"} title={t("shell.menu")} bareTitle form="drawer">
        <FramedNavbar
          {...facts}
          narrow={false}
          headKey={{ icon: "close", label: t("shell.closeMenu"), onPress: close }}
          onChosen={close}
        />
      </Sheet>
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
          <SearchSheet {...sheet} items={items} shortcuts={shortcuts} />
        </Suspense>
      )}
    </ChromeContext>
  );
}

/** A small screen scrolls as a whole, so that its browser can give way, and has no height for a footer that stays. */
const onSmall = (config: LayoutConfig): LayoutConfig => ({
  ...config,
  scroll: "body",
  footer: { ...config.footer, style: "static" },
});

/** Pages have only their title here: all else stands in the bars. */
const chromeOf = ({ settings, online }: FrameProps) => ({
  ...{ openDrawer: undefined, showHeader: settings.header, page: FramedPage },
  ...{ wallet: null, actions: null, tools: null, shortcuts: null },
  notice: <OfflineBar online={online} />,
});
