import type { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useMedia } from "@longarm/ui/use-media.ts";
import type { ComponentProps, ReactNode } from "react";
import type { LayoutConfig } from "../../../shared/appearance/appearance.ts";
import { HorizontalNavigation } from "../../../shared/navigation/horizontal.tsx";
import type { NavigationItem } from "../../../shared/navigation/navigation.ts";
import { viewerOf, visibleTree } from "../../../shared/navigation/navigation.ts";
import { Footer } from "../footer.tsx";
import { LogoLink, MENU_ITEMS, useUnfolding } from "../navbar.tsx";
import type { PageProps } from "../page.tsx";
import { ChromeContext, OfflineBar, useChrome } from "../page.tsx";
import { InfoKeys, Panels, usePanels } from "../panels.tsx";
import { pagesOf } from "../search/find-items.ts";
import type { ShellProps } from "../shell.tsx";
import { FooterParts } from "./footer-links.tsx";
import css from "./framed.module.css";
import type { NavbarFacts } from "./framed-navbar.tsx";
import { FramedNavbar } from "./framed-navbar.tsx";
import { SidePanel } from "./star-menu.tsx";
import type { TemplatePages } from "./toolbar.tsx";
import { Toolbar, ToolbarExtras } from "./toolbar.tsx";

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
  const panels = usePanels(settings, props.infoIsNew);
  const { panel, open, close, finalFocus } = panels;

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
      <Sheet
        onClose={close}
        finalFocus={finalFocus}
        open={panel === "drawer"}
        title={t("shell.menu")}
        bareTitle
        form="drawer"
      >
        <FramedNavbar
          {...facts}
          narrow={false}
          headKey={{ icon: "close", label: t("shell.closeMenu"), onPress: close }}
          onChosen={close}
        />
      </Sheet>
      <Panels {...{ panels, settings, items, shortcuts }} onInfoSeen={props.onInfoSeen} />
    </ChromeContext>
  );
}

/** A small screen scrolls as a whole, so that its browser can give way, and has no height for a footer that stays. */
const onSmall = (config: LayoutConfig): LayoutConfig => ({
  ...config,
  scroll: "body",
  footer: { ...config.footer, style: "static" },
});

/** Pages have only their title here: all else is in the bars. */
const chromeOf = ({ settings, online }: FrameProps) => ({
  ...{ openDrawer: undefined, showHeader: settings.header, page: FramedPage },
  ...{ wallet: null, actions: null, tools: null, shortcuts: null },
  notice: <OfflineBar online={online} />,
});

/** Horizontal navigation in a line above or below the toolbar; the content scrolls under both. */
function Layout2({ config, toolbar, navbar, footer, startPanel, endPanel, children }: FrameParts) {
  const bar = toolbar && (
    <header className={css["bar"]} data-region="toolbar" data-style="fixed">
      {toolbar}
    </header>
  );
  const end = footer && (
    <div className={css["end"]} data-style={config.footer.style}>
      {footer}
    </div>
  );
  const barAbove = config.toolbar.position === "above";
  const endInside = config.footer.style === "static";
  return (
    <Framing endPanel={endPanel} data-mode={config.mode} data-scroll={config.scroll}>
      {barAbove && bar}
      {navbar}
      {!barAbove && bar}
      <div className={css["row"]}>
        {startPanel}
        <div className={css["column"]}>
          <div className={css["content"]} id="content" data-region="main">
            <div className={css["page"]}>{children}</div>
            {endInside && end}
          </div>
          {!endInside && end}
        </div>
      </div>
    </Framing>
  );
}

/** The navigation in a line of 64 px. */
function TopNavigation({ facts }: { facts: NavbarFacts }) {
  const { t } = useText();
  return (
    <nav className={css["top"]} data-region="navbar" aria-label={t("shell.menu")}>
      <div className={css["topLine"]}>
        <LogoLink onChosen={undefined}>
          <Logo />
        </LogoLink>
        <HorizontalNavigation items={facts.tree} />
        {facts.actions}
        {facts.extras}
      </div>
    </nav>
  );
}

/**
 * Vertical navigation beside the page. A bar that is `above` reaches over the navigation too; one that is `below` is beside it, and there
 * a static one scrolls with the content.
 */
function Layout1({ config, toolbar, navbar, footer, startPanel, endPanel, children }: FrameParts) {
  const { mode, scroll } = config;
  const bar = toolbar && (
    <header className={css["bar"]} data-region="toolbar" data-style={config.toolbar.style}>
      {toolbar}
    </header>
  );
  const end = footer && (
    <div className={css["end"]} data-style={config.footer.style}>
      {footer}
    </div>
  );
  const [barAbove, endAbove] = [config.toolbar.position === "above", config.footer.position === "above"];
  const scrollsWithin = scroll === "content";
  /** Static bars belong to what scrolls. */
  const [barInside, endInside] = [config.toolbar, config.footer].map(
    ({ style }) => style === "static" && scrollsWithin,
  );
  return (
    <Framing
      endPanel={endPanel}
      data-mode={mode}
      data-scroll={scroll}
      data-bar-above={(barAbove && bar && (scrollsWithin || config.toolbar.style === "fixed")) || undefined}
      data-end-above={(endAbove && end && (scrollsWithin || config.footer.style === "fixed")) || undefined}
    >
      {barAbove && bar}
      <div className={css["row"]}>
        {startPanel}
        {navbar}
        <div className={css["column"]}>
          {!barAbove && !barInside && bar}
          <div className={css["content"]} id="content" data-region="main">
            {!barAbove && barInside && bar}
            <div className={css["page"]}>{children}</div>
            {!endAbove && endInside && end}
          </div>
          {!endAbove && !endInside && end}
        </div>
      </div>
      {endAbove && end}
    </Framing>
  );
}

type NavigationProps = {
  readonly config: LayoutConfig;
  readonly facts: NavbarFacts;
  readonly onConfig: (change: LayoutConfigChoice) => void;
};

/** The navigation beside the page: 280 px, or 64 when it is folded; then it opens over the page under a resting pointer. */
function SideNavigation({ config, facts, onConfig }: NavigationProps) {
  const { t } = useText();
  const { folded, position } = config.navbar;
  const { over, fold, handlers } = useUnfolding(folded);
  function foldTo(next: boolean) {
    fold();
    onConfig({ navbar: { folded: next } });
  }
  const headKey = folded
    ? ({ icon: "unfold", label: t("shell.unfold"), onPress: () => foldTo(false) } as const)
    : ({ icon: "fold", label: t("shell.fold"), onPress: () => foldTo(true) } as const);
  return (
    <div
      className={css["side"]}
      data-position={position}
      data-folded={folded || undefined}
      data-over={over || undefined}
      {...handlers}
    >
      <FramedNavbar {...facts} narrow={folded && !over} headKey={headKey} onWiden={() => foldTo(false)} />
    </div>
  );
}

type FramingProps = Omit<ComponentProps<"div">, "className"> & { readonly endPanel: ReactNode };

/** Bars and page in their width, and beside all of them the panel at the end of the window. */
function Framing({ endPanel, ...frame }: FramingProps) {
  return (
    <div className={css["window"]}>
      <div className={css["frame"]} {...frame} />
      {endPanel}
    </div>
  );
}

/** What a layout of the template is given: all that the casino shell has, and the parts of its own. */
type FrameProps = Omit<ShellProps, "morePages" | "moreTool"> & {
  readonly style: "layout1" | "layout2";
  readonly config: LayoutConfig;
  /** A key of the frame changed its layout. */
  readonly onConfig: (change: LayoutConfigChoice) => void;
  /** The template's part of the navigation, below the casino's. */
  readonly templateTree: readonly NavigationItem[];
  readonly pages: TemplatePages;
  /** Toggles of the panels at the end side. */
  readonly panelKeys?: ReactNode;
  /** The panel beside the page at its end side. */
  readonly sidePanel?: ReactNode;
};

/** Bars and content, ready to be put in their places. */
type FrameParts = {
  readonly config: LayoutConfig;
  /** The line of the toolbar; nothing: it is not shown. */
  readonly toolbar: ReactNode;
  /** The navigation of a large window; nothing: it is not shown. */
  readonly navbar: ReactNode;
  readonly footer: ReactNode;
  readonly startPanel: ReactNode;
  readonly endPanel: ReactNode;
  readonly children: ReactNode;
};

/** A page between the bars of the template's layouts: its title, then its content. */
function FramedPage({ title, subtitle, children }: PageProps) {
  const { notice, showHeader } = useChrome();
  return (
    <>
      <div className={css["pageNotice"]}>{notice}</div>
      <main id="page" tabIndex={-1} className={css["framedPage"]} data-whole={title === undefined || undefined}>
        {title !== undefined && (
          <div className={showHeader ? css["pageHeader"] : "visually-hidden"}>
            <h1 tabIndex={-1}>{title}</h1>
            {subtitle !== undefined && <p>{subtitle}</p>}
          </div>
        )}
        {children}
      </main>
    </>
  );
}

/** What the casino shell (layout3) takes of the options of a layout: its width, and bars that are left out. */
export function casinoWith(
  { mode, navbar, toolbar, footer }: LayoutConfig,
  settings: ShellProps["settings"],
): Pick<ShellProps, "settings" | "className"> {
  const classes = [
    mode !== "fullwidth" && css[mode],
    !navbar.display && css["noNavbar"],
    !footer.display && css["noFooter"],
    footer.style === "fixed" && css["fixedFooter"],
  ];
  return {
    settings: { ...settings, header: settings.header && toolbar.display },
    className: classes.filter(Boolean).join(" "),
  };
}
